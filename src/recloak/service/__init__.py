"""Service: the lists in force over HTTP, read only.

- `shelf`: one release as it is answered, immutable, made once
- `watching`: looks for a newer release and puts its shelf in the place of the old one
- `metrics`: what is counted, for Prometheus
- `answers`: what the API answers, declared
- `application`: the routes
- `front`: what stands before them: it counts, and answers for whole lists itself
- `serving`: a server for them

It needs the extra ``service``: pip install 'recloak[service]'.
"""
