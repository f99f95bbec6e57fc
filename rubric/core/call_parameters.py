"""The parameters that a call to a model sends besides the prompt; they distinguish reviewers with the same model."""

import hashlib
from collections.abc import Mapping
from typing import Any

from workspace.core.words import say

SYSTEM = "system_prompt"
LONGEST_SYSTEM = 10_000
COMPLETION_TOKENS = "max_completion_tokens"
SAMPLING = ("temperature", "top_p", "max_tokens", COMPLETION_TOKENS, "seed", "reasoning_effort")


def select_sampling(parameters: Mapping[str, Any]) -> dict[str, int | float | str]:
    """Those of a reviewer's parameters that a call may carry: plain numbers and short words under known names."""
    return {
        name: value
        for name in SAMPLING
        if isinstance(value := parameters.get(name), int | float | str)
        and not isinstance(value, bool)
        and not (isinstance(value, str) and len(value) > 40)
    }


def select_parameters(parameters: Mapping[str, Any]) -> dict[str, int | float | str]:
    """The same with the system prompt, as stored with every answer."""
    system = parameters.get(SYSTEM)
    return select_sampling(parameters) | ({SYSTEM: system} if isinstance(system, str) and system else {})


def describe_parameters(parameters: Mapping[str, Any]) -> str:
    """The parameters in a few words that distinguish two reviewers; the system prompt by the start of its hash."""
    known = select_parameters(parameters)
    system = known.pop(SYSTEM, "")
    words = [f"{name.replace('_', ' ')} {value}" for name, value in known.items()]
    digest = hashlib.sha256(str(system).encode()).hexdigest()[:6]
    return ", ".join([*words, *([say("system prompt {digest}", digest=digest)] if system else [])])
