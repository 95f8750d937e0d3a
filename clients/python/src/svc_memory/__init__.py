"""A client of the service: memory and knowledge for software agents.

from svc_memory import Client

with Client("http://127.0.0.1:8787", "svc_live_…") as svc:
svc.create_fact(statement="Backups are kept for ninety days.")
reply = svc.recall(query="How long do we keep backups?")
"""

from ._client import AsyncClient, Client
from ._error import FieldError, SvcError, SvcErrorCode, takes_no_more
from ._model import Model
from ._request import UNSET, Unset
from ._session import AsyncSessionHandle, NewTurn, SessionHandle
from ._streams import AsyncByteStream, ByteStream
from ._watch import AsyncWatch, Watch, WatchedEvent
from .gen import models
from .gen.routes import VERSION

__all__ = [
    "UNSET",
    "VERSION",
    "AsyncByteStream",
    "AsyncClient",
    "AsyncSessionHandle",
    "AsyncWatch",
    "ByteStream",
    "Client",
    "FieldError",
    "Model",
    "NewTurn",
    "SessionHandle",
    "SvcError",
    "SvcErrorCode",
    "Unset",
    "Watch",
    "WatchedEvent",
    "models",
    "takes_no_more",
]
__version__ = VERSION
