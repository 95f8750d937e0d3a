"""`python -m svc_memory` is the command `svc-memory`."""

import sys

from ._cli.main import main

sys.exit(main())
