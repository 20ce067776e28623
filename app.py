"""Switch the light on: the same as `tutor serve`."""

from tutor.main import serve

if __name__ == "__main__":
    serve()
