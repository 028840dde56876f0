# kikashi as a container, from the wheel that `make dist` builds:
#
#     make dist
#     docker build --tag kikashi .
#     docker run --rm --interactive kikashi gtp
#     docker run --rm --network host kikashi web
#
# The page is served to this machine alone, hence the host's network. Kernels are compiled for the processor at hand when they
# are first needed; a volume keeps them: --volume kikashi:/home/kikashi/.cache

ARG PYTHON=3.13
FROM python:${PYTHON}-slim AS installed
COPY constraints.txt dist/*.whl /wheels/
RUN python -m venv --without-pip /opt/kikashi \
    && pip --python /opt/kikashi install --no-cache-dir --only-binary :all: --constraint /wheels/constraints.txt \
        "$(find /wheels -name 'kikashi-*.whl')[web]"

FROM python:${PYTHON}-slim
COPY --from=installed /opt/kikashi /opt/kikashi
RUN useradd --create-home --uid 10001 kikashi \
    && install --directory --owner=kikashi /home/kikashi/.cache /home/kikashi/games
ENV PATH="/opt/kikashi/bin:${PATH}"
USER 10001
WORKDIR /home/kikashi/games
ENTRYPOINT ["kikashi"]
CMD ["gtp"]
