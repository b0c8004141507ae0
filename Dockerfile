# recloak with the lists service: docker build -t recloak . ; docker run --rm recloak --help
# Needs no network when it runs: docker run --rm --network none -v "$PWD:/data" recloak inspect ratings.csv
FROM python:3.12-slim AS build
# git stays in this stage, and a pinned version of it is soon gone
# hadolint ignore=DL3008
RUN apt-get update && apt-get install -y --no-install-recommends git && rm -rf /var/lib/apt/lists/*
SHELL ["/bin/bash", "-o", "pipefail", "-c"]
WORKDIR /source
COPY . .
# Files that are not copied here count as unchanged, or the version would not be that of the tag
RUN git ls-files --deleted -z | git update-index --assume-unchanged -z --stdin \
 || echo 'No repository: the version is the one in pyproject.toml'
RUN python -m venv /opt/recloak \
 && /opt/recloak/bin/pip install --no-cache-dir --constraint constraints.txt '.[service,postgresql]' \
 && /opt/recloak/bin/pip uninstall --yes pip \
 && find /opt/recloak -name 'tests' -path '*site-packages*' -prune -exec rm -rf {} +

FROM python:3.12-slim
RUN useradd --create-home --uid 10001 recloak && mkdir /data /anchor && chown recloak /data /anchor
COPY --from=build /opt/recloak /opt/recloak
ENV PATH=/opt/recloak/bin:$PATH NUMBA_CACHE_DIR=/home/recloak/.kernels PYTHONDONTWRITEBYTECODE=1
USER 10001
# Compiles the kernels of publishing, auditing and nightly lists, as every container begins without any
RUN recloak warmup --quiet \
 && recloak simulate --like ml-100k --users 100 --items 100 --ratings 2000 --seed 1 --out /tmp/r.csv --quiet \
 && recloak lists release /tmp/r.csv --store /tmp/r.db --delta 0.1 --window 4 --top 5 --new --quiet \
 && recloak lists release /tmp/r.csv --store /tmp/r.db --delta 0.2 --window 4 --top 5 --quiet \
 && rm /tmp/r.*
WORKDIR /data
ENTRYPOINT ["recloak"]
CMD ["--help"]
