"""`python -m convgate` is the command `convgate`."""

from convgate.cli.main import main

if __name__ == "__main__":
    main()
