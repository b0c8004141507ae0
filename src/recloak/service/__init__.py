"""Service: the lists in force over HTTP, read only.

- `shelf`: one release as it is answered, immutable, made once
- `watching`: looks for a newer release and puts its shelf in the place of the old one
- `metrics`: what is counted, for Prometheus
- `answers`: what the API answers, declared
- `application`: the routes
- `serving`: a server for them

It needs the extra ``service``: pip install 'recloak[service]'.
"""
