# recloak with the lists service: docker build -t recloak . ; docker run --rm recloak --help
# Needs no network when it runs: docker run --rm --network none -v "$PWD:/data" recloak inspect ratings.csv
FROM python:3.12-slim AS build
# git and binutils stay in this stage, and pinned versions of them are soon gone
# hadolint ignore=DL3008
RUN apt-get update && apt-get install -y --no-install-recommends binutils git && rm -rf /var/lib/apt/lists/*
SHELL ["/bin/bash", "-o", "pipefail", "-c"]
WORKDIR /source
COPY . .
# Files that are not copied here count as unchanged, or the version would not be that of the tag
RUN git ls-files --deleted -z | git update-index --assume-unchanged -z --stdin \
 || echo 'No repository: the version is the one in pyproject.toml'
# Left out is what runs nothing: tests, sources in C, types for editors, symbols for debuggers. Symbols stay in
# libraries whose place was changed for their wheel, for strip breaks these
RUN python -m venv /opt/recloak \
 && /opt/recloak/bin/pip install --no-cache-dir --no-compile --constraint constraints.txt '.[service,postgresql]' \
 && /opt/recloak/bin/pip uninstall --yes pip \
 && find /opt/recloak -name tests -path '*site-packages*' -prune -exec rm -rf {} + \
 && find /opt/recloak -type f -regex '.*\.\(a\|c\|cpp\|h\|hpp\|pxd\|pxi\|pyi\|pyx\)' -delete \
 && find /opt/recloak \( -name 'libllvmlite.so' -o -name '_polars_runtime*.so' -o -path '*/uvloop/loop*.so' \) \
    -exec strip --strip-unneeded {} +
ENV PATH=/opt/recloak/bin:$PATH NUMBA_CACHE_DIR=/opt/kernels
# Compiles the kernels of publishing, auditing and nightly lists, as every container begins without any; and the
# modules that this loads, of all that there are in the packages
RUN recloak warmup --quiet \
 && recloak simulate --like ml-100k --users 100 --items 100 --ratings 2000 --seed 1 --out /tmp/r.csv --quiet \
 && recloak lists release /tmp/r.csv --store /tmp/r.db --delta 0.1 --window 4 --top 5 --new --quiet \
 && recloak lists release /tmp/r.csv --store /tmp/r.db --delta 0.2 --window 4 --top 5 --quiet \
 && python -c 'import recloak.lists.service.application, uvicorn.loops.uvloop, uvicorn.protocols.http.httptools_impl' \
 && python -c 'import psycopg, sqlalchemy.dialects.postgresql.psycopg' \
 && python -m compileall -q /opt/recloak/lib/python3.12/site-packages/recloak \
 && rm /tmp/r.*

FROM python:3.12-slim
RUN useradd --create-home --uid 10001 recloak && mkdir /data /anchor && chown recloak /data /anchor
COPY --from=build /opt/recloak /opt/recloak
COPY --from=build --chown=10001 /opt/kernels /home/recloak/.kernels
ENV PATH=/opt/recloak/bin:$PATH NUMBA_CACHE_DIR=/home/recloak/.kernels PYTHONDONTWRITEBYTECODE=1
USER 10001
WORKDIR /data
ENTRYPOINT ["recloak"]
CMD ["--help"]
