"""What all models have in common."""

from __future__ import annotations

import re

from pydantic import BaseModel, ConfigDict, ValidationError, ValidatorFunctionWrapHandler, WrapValidator


def to_wire(name: str) -> str:
    """Return the name that the service has for a member: `external_id` is `externalId`, `from_` is `from`."""
    return re.sub(r"_(\w)", lambda found: found[1].upper(), name.removesuffix("_"))


class Model(BaseModel):
    """A value of the service. Members that this client does not know yet are kept."""

    model_config = ConfigDict(
        alias_generator=to_wire,
        populate_by_name=True,
        extra="allow",
        # Of several hundred models a program uses a few.
        defer_build=True,
        protected_namespaces=(),
    )

    def to_dict(self) -> dict[str, object]:
        """Return the value as JSON has it, with the names of the service and only what was given."""
        return self.model_dump(mode="json", by_alias=True, exclude_unset=True)


def _keep_unknown(value: object, check: ValidatorFunctionWrapHandler) -> object:
    try:
        return check(value)
    except ValidationError:
        if isinstance(value, str):
            return value
        raise


OPEN = WrapValidator(_keep_unknown)
"""A text that a later version of the service may have is kept, although the type does not name it."""
