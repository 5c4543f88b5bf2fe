"""What is said in one call of a model API: the question, the answer, and the repair of an answer that does not fit.

The answer is wanted through the library's output tool, or as text with JSON in it, whatever the model prefers. What does
not fit goes back to it with the fault; at last what it said is read and its key points extracted as any agent's answer is.
Every request is a stream, so that a model which fell silent is noticed long before the last limit.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterable
from importlib.metadata import version
from itertools import pairwise
from typing import Any

from anthropic import AsyncAnthropic
from google.genai import Client
from google.genai.types import HttpOptions
from openai import AsyncOpenAI
from pydantic import BaseModel
from pydantic_ai import Agent, ModelRetry, StructuredDict, TextOutput, ToolOutput, capture_run_messages
from pydantic_ai.exceptions import UnexpectedModelBehavior
from pydantic_ai.messages import (
    AgentStreamEvent,
    CachePoint,
    ModelResponse,
    PartDeltaEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
    ThinkingPart,
    ThinkingPartDelta,
    ToolCallPart,
    ToolCallPartDelta,
    UserContent,
)
from pydantic_ai.models import Model, infer_model
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.output import OutputSpec
from pydantic_ai.providers import Provider, infer_provider_class
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.google import GoogleProvider
from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider
from pydantic_ai.settings import ModelSettings
from pydantic_ai.usage import RunUsage

from orchestrator.domain.dataclass import dataclass, field
from orchestrator.domain.errors import AgentRubbish
from orchestrator.domain.prices import Estimate
from workers.agents.api.http import Wire, certificates
from workers.agents.api.target import Target
from workers.agents.extraction import extract
from workers.agents.findings import KEPT, not_friendlier, with_findings
from workers.agents.pointing import UNPLACED
from workers.agents.protocol import AgentReply, AgentRequest, Timeouts, Usage
from workers.agents.replies import Parsed, parse

REPAIRS = 1  # turns in which the model may mend its answer
LIST = f"genai-prices {version('genai-prices')}"  # by which the library estimates what a call costs
TOOL = "Your answer: one object that fits the JSON Schema at the end of the prompt."  # the same tool for every question:
# a model's server reads the tools before the prompt, and knows the beginning of neither where they differ
ANSWER = StructuredDict({"type": "object", "additionalProperties": True})
MARKED = ("anthropic", "openrouter")  # providers, as the library calls them, whose cache is told where to end
MARKS = 4  # that one request may have
Said = BaseModel | dict[str, Any] | str
NO_KEY = "none"  # what a server that wants no key is given, since the vendors' packages want one


@dataclass
class Talk:
    target: Target
    request: AgentRequest
    timeouts: Timeouts
    wire: Wire
    notes: list[str] = field(default_factory=list)
    text: str = ""  # the answer that was taken, as it was said
    usage: RunUsage = field(default_factory=RunUsage)
    sent_back: bool = False
    unplaced: BaseModel | None = None  # an answer that was sent back because it names no place

    async def ask(self, *, with_tool: bool) -> AgentReply:
        """The reply. Raises the library's exceptions."""
        schema = self.request.schema
        output: OutputSpec[Said] = str if schema is None else TextOutput(self._read)
        if schema is not None and with_tool and self.target.provider.library != "google.genai":
            output = [ToolOutput(ANSWER, name="final_result", description=TOOL), output]
        agent: Agent[None, Said] = Agent(_model(self.target, self.wire), output_type=output, retries=REPAIRS)
        agent.output_validator(self._checked)
        with capture_run_messages() as messages:
            try:
                result = await agent.run(
                    self._prompt(),
                    model_settings=self._settings(),
                    event_stream_handler=self._count,
                    usage=self.usage,
                    infer_name=False,
                )
            except UnexpectedModelBehavior:
                reply = self._rescued([said for said in messages if isinstance(said, ModelResponse)])
                if reply is None:
                    raise
                return reply
        if self.wire.fault is not None:
            raise self.wire.fault
        data = result.output if isinstance(result.output, BaseModel) else None
        said = [each for each in messages if isinstance(each, ModelResponse)]
        return self._reply(data, result.response, before=self._readable(said[:-1]))

    def _prompt(self) -> str | list[UserContent]:
        """The prompt, with marks for the cache where others begin with the same and the provider wants to be told."""
        prompt, breaks = self.request.prompt, self.request.breaks
        if not breaks or self.target.provider.name not in MARKED:
            return prompt
        marked = {breaks[0], *breaks[-(MARKS - 1) :]}
        parts: list[UserContent] = []
        for begin, end in pairwise([0, *breaks, len(prompt)]):
            parts.append(prompt[begin:end])
            if end in marked:
                parts.append(CachePoint())
        return parts

    def _settings(self) -> ModelSettings:
        settings = ModelSettings()
        if self.timeouts.turn is not None:
            settings["request_timeout"] = self.timeouts.turn
        if self.target.effort is not None:
            settings["thinking"] = self.target.effort
        return settings

    def _read(self, text: str) -> BaseModel:
        """The answer in a text. Raises ModelRetry, which the library sends to the model."""
        self.text = self.target.masked(text)
        return self._parsed(self.text)

    def _checked(self, output: Said) -> Said:
        """An answer through the tool is read as one in a text is; a critique that names no place is sent back once."""
        if isinstance(output, str):
            self.text = self.target.masked(output)
            return self.text
        if isinstance(output, dict):
            self.text = self.target.masked(json.dumps(output, ensure_ascii=False))
            output = self._parsed(self.text)
        fault = self.request.places.fault(output) if self.request.places else None
        if fault is None:
            return output
        if not self.sent_back:
            self.sent_back, self.unplaced = True, output
            raise ModelRetry(fault)
        self.notes.append(UNPLACED)
        return output

    def _parsed(self, text: str) -> BaseModel:
        assert self.request.schema is not None
        parsed = parse(text, self.request.schema)
        if parsed.model is None or not parsed.good:
            self.sent_back = True
            raise ModelRetry(f"{parsed.fault}: answer with one whole JSON object")
        self.notes += parsed.notes
        return parsed.model

    def _rescued(self, responses: list[ModelResponse]) -> AgentReply | None:
        """The best that can be had from what was said, newest first; None when nothing can."""
        schema = self.request.schema
        if schema is None:
            return None
        texts = [self.target.masked(text) for response in reversed(responses) for text in _texts(response)]
        before = self._readable(responses[:-1])
        for text in texts:
            parsed: Parsed = parse(text, schema)
            if parsed.model is not None:
                self.notes += parsed.told
                self.text = text
                return self._reply(parsed.model, responses[-1], before=before)
        for text in texts:
            extracted = extract(text, schema, self.notes.append)
            if extracted is not None:
                self.text = text
                return self._reply(extracted, responses[-1], before=before, extracted=True)
        return None

    def _readable(self, responses: list[ModelResponse]) -> BaseModel | None:
        """What can be read of answers that had to be given again."""
        schema = self.request.schema
        if schema is None:
            return None
        texts = (self.target.masked(text) for response in responses for text in _texts(response))
        return next(
            (found for text in texts if (found := parse(text, schema).model or extract(text, schema))), None
        )

    def _reply(
        self,
        given: BaseModel | None,
        response: ModelResponse,
        *,
        before: BaseModel | None = None,
        extracted: bool = False,
    ) -> AgentReply:
        data = given and with_findings(given, before)
        if data is not None and self.unplaced is not None:
            data = not_friendlier(data, self.unplaced)
        if data != given:
            self.notes.append(KEPT)
        spent = self.usage
        known = spent.has_values() and not spent.unmeasured_requests
        used = Usage(
            model=self.target.masked(response.model_name or self.target.model),
            tokens_in=spent.input_tokens if known else None,
            tokens_out=spent.output_tokens if known else None,
            tokens_cached=spent.cache_read_tokens if known else None,
            tokens_cache_written=spent.cache_write_tokens if known else None,
            tokens_cache_written_1h=spent.cache_write_1h_tokens if known else None,
            estimate=Estimate(float(spent.cost), LIST) if known and spent.cost is not None else None,
        )
        retries = max(0, spent.requests - 1)
        return AgentReply(
            self.text, data, self.target.agent, used, retries, tuple(self.notes), extracted=extracted
        )

    async def _count(self, _context: object, events: AsyncIterable[AgentStreamEvent]) -> None:
        """Reads the stream as it comes; ends it from below when the answer grows too long."""
        size, most = 0, self.timeouts.output_bytes
        self.wire.asked = 0
        async for event in events:
            size += _length(event)
            if size > most and self.wire.fault is None:
                self.wire.fault = AgentRubbish(
                    f"{self.target.agent} answered more than {most} bytes and was stopped"
                )


def _length(event: AgentStreamEvent) -> int:
    """Characters that an event adds to the answer."""
    match event:
        case PartStartEvent(part=TextPart(content=said) | ThinkingPart(content=said)):
            return len(said)
        case PartDeltaEvent(delta=TextPartDelta(content_delta=said)):
            return len(said)
        case PartDeltaEvent(delta=ThinkingPartDelta(content_delta=str(said))):
            return len(said)
        case (
            PartStartEvent(part=ToolCallPart(args=said))
            | PartDeltaEvent(delta=ToolCallPartDelta(args_delta=said))
        ):
            return len(said) if isinstance(said, str) else len(str(said))
    return 0


def _texts(response: ModelResponse) -> list[str]:
    """What a response says, in text or through the tool."""
    said = [part.content for part in response.parts if isinstance(part, TextPart)]
    calls = [part for part in response.parts if isinstance(part, ToolCallPart)]
    return said + [call.args if isinstance(call.args, str) else call.args_as_json_str() for call in calls]


def _model(target: Target, wire: Wire) -> Model:
    """The library's model, speaking over `wire` alone, with no retries of its own and nobody else's address or key."""
    key, library, name = target.key or NO_KEY, target.provider.library, target.provider.name
    provider: Provider[Any]
    if library == "anthropic":
        client = AsyncAnthropic(api_key=key, base_url=target.url, http_client=wire, max_retries=0)
        provider = AnthropicProvider(anthropic_client=client)
    elif library == "google.genai":
        trust = {"verify": certificates()}  # else it reads them anew for clients that are never used
        options = HttpOptions(
            base_url=target.url, httpx_async_client=wire, client_args=trust, async_client_args=trust
        )
        provider = GoogleProvider(client=Client(vertexai=False, api_key=key, http_options=options))
    else:
        openai = AsyncOpenAI(api_key=key, base_url=target.url, http_client=wire, max_retries=0)
        if name == "openai-compatible":
            return OpenAIChatModel(
                target.model, provider=OpenAICompatibleProvider(name, openai_client=openai)
            )
        made: Any = infer_provider_class(name)
        provider = made(openai_client=openai)
    return infer_model(f"{name}:{target.model}", lambda _: provider)
