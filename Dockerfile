# recloak with the lists service: docker build -t recloak . ; docker run --rm recloak --help
# Needs no network when it runs: docker run --rm --network none -v "$PWD:/data" recloak inspect ratings.csv
FROM python:3.12-slim AS build
# git stays in this stage, and a pinned version of it is soon gone
# hadolint ignore=DL3008
RUN apt-get update && apt-get install -y --no-install-recommends git && rm -rf /var/lib/apt/lists/*
WORKDIR /source
COPY . .
RUN python -m venv /opt/recloak \
 && /opt/recloak/bin/pip install --no-cache-dir --constraint constraints.txt '.[service,postgresql]' \
 && /opt/recloak/bin/pip uninstall --yes pip \
 && find /opt/recloak -name '__pycache__' -prune -exec rm -rf {} + \
 && find /opt/recloak -name 'tests' -path '*site-packages*' -prune -exec rm -rf {} +

FROM python:3.12-slim
RUN useradd --create-home --uid 10001 recloak && mkdir /data && chown recloak /data
COPY --from=build /opt/recloak /opt/recloak
ENV PATH=/opt/recloak/bin:$PATH NUMBA_CACHE_DIR=/home/recloak/.kernels PYTHONDONTWRITEBYTECODE=1
USER 10001
RUN recloak warmup --quiet
WORKDIR /data
ENTRYPOINT ["recloak"]
CMD ["--help"]
