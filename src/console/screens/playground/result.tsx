/** One result of a recall: what it says, and why it is there. */
import type { ExplainedRecallResult } from "../../../../clients/typescript/mod.ts";
import { href } from "../../router.ts";
import { can, isWriting, svc } from "../../session.ts";
import { Badge, State } from "../../ui/badge.tsx";
import { Button } from "../../ui/form.tsx";
import { useAction } from "../../ui/load.ts";
import { Alert } from "../../ui/states.tsx";
import { addressOf, ATTRIBUTIONS } from "../../ui/unit.tsx";
import { Share, When, Words } from "../../ui/words.tsx";

export function Result({ result }: { readonly result: ExplainedRecallResult }) {
  const { id, type, text, invisibleText, status, contested, stale, score, scoreDetails, why, newer, outdatedBy } =
    result;
  const isTurn = type === "turn";
  return (
    <article class="card result" aria-label={`${type}: ${text.slice(0, 80)}`}>
      <div class="row between top-line">
        <span class="marks">
          <Badge tone="info">{type}</Badge>
          {status !== "active" && <State of={status} />}
          {contested && status !== "contested" && <State of="contested" />}
          {stale && <State of="stale" />}
          {outdatedBy !== undefined && (
            <Badge tone="warn" title="Another fact is true instead at this time">outdated</Badge>
          )}
        </span>
        <Share of={score} label="Score: how likely it is relevant" />
      </div>
      <p class="result-text">
        {isTurn && result.name && (
          <strong>
            <bdi>{result.name}</bdi>:{" "}
          </strong>
        )}
        <Words text={text} invisible={invisibleText} {...(!isTurn && { leadsTo: href(`/unit/${id}`) })} />
      </p>
      <Dates result={result} />
      {newer !== undefined && (
        <Alert tone="info">
          <strong>{newer.ended ? "Said later that it has ended" : "Said later"}</strong>{" "}
          (<When at={newer.occurredAt} />):{" "}
          <a class="plain" href={addressOf(newer)}>
            <Words text={newer.text} lines />
          </a>
        </Alert>
      )}
      {outdatedBy !== undefined && outdatedBy !== newer?.id && (
        <p>
          <a href={href(`/unit/${outdatedBy}`)}>What is true instead</a>
        </p>
      )}
      <p class="quiet">{why}</p>
      <details>
        <summary>
          Found by {scoreDetails.arms.map(({ arm, rank }) => `${arm} (${rank})`).join(", ") || "no tier of its own"}
        </summary>
        <Signals of={scoreDetails.boosts} />
      </details>
      <div class="row">
        {isTurn && result.sessionId && (
          <a href={href(`/sessions/${result.sessionId}`, { turn: id })}>Open the session</a>
        )}
        {!isTurn && can("governance:write") && <Votes id={id} />}
      </div>
    </article>
  );
}

function Dates({ result }: { readonly result: ExplainedRecallResult }) {
  const { occurredAt, validFrom, validTo, attribution, trustScore, citations, tags } = result;
  return (
    <p class="quiet facts-line">
      {occurredAt && (
        <span>
          Happened <When at={occurredAt} />
        </span>
      )}
      {(validFrom || validTo) && (
        <span>
          True from {validFrom ? <When at={validFrom} /> : "an unknown day"} to{" "}
          {validTo ? <When at={validTo} /> : "now"}
        </span>
      )}
      <span title="Who says so, and how far that is trusted">
        {ATTRIBUTIONS[attribution]}, trust {trustScore}
      </span>
      {citations.length > 0 && <span>{citations.length} {citations.length === 1 ? "source" : "sources"}</span>}
      {tags.map((tag) => (
        <Badge key={tag}>
          <bdi>{tag}</bdi>
        </Badge>
      ))}
    </p>
  );
}

/** What each signal added to the score, the strongest first. */
function Signals({ of }: { readonly of: ExplainedRecallResult["scoreDetails"]["boosts"] }) {
  const signals = Object.entries(of).sort(([, a], [, b]) => Math.abs(b) - Math.abs(a));
  const most = Math.max(0.001, ...signals.map(([, value]) => Math.abs(value)));
  return (
    <dl class="signals">
      {signals.map(([name, value]) => (
        <div key={name}>
          <dt>{SIGNS[name] ?? name}</dt>
          <dd>
            <meter min={0} max={most} value={Math.abs(value)} aria-label={SIGNS[name] ?? name} />{" "}
            <span class="number">{value > 0 ? "+" : "−"}{Math.abs(value).toFixed(2)}</span>
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** The signals in words. */
const SIGNS: Readonly<Record<string, string>> = {
  closeWords: "words of the question stand close together",
  ownWords: "it has the question's words",
  surroundings: "the text around it is about the question",
  neighbours: "what was said before or after is about the question",
  names: "it has the question's names",
  session: "its conversation is about the question",
  participants: "somebody named takes part in its session",
  speaker: "somebody named said it",
  afterQuestion: "it follows a question",
  question: "it asks something itself",
  substance: "how much it says",
  firstPerson: "the speaker speaks of themselves",
  opening: "it opens its session",
  timeTold: "it says when",
  title: "it names a title",
  place: "it names a place",
  number: "it has a number",
  date: "it dates from the days asked about",
  meaning: "its meaning is similar",
  graph: "relations lead to it",
  current: "it holds at the time asked about",
};

function Votes({ id }: { readonly id: string }) {
  const [run, isBusy] = useAction();
  const vote = (signal: "helpful" | "harmful") =>
    run(() => svc.giveWorthFeedback({ signals: [{ unitId: id, signal }] }), `Noted as ${signal}.`);
  const title = isWriting.value ? "Counts for the unit's worth" : "Allow changes first, at the top of the page";
  return (
    <span class="row">
      {(["helpful", "harmful"] as const).map((signal) => (
        <Button
          key={signal}
          small
          disabled={!isWriting.value}
          busy={isBusy}
          title={title}
          onClick={() => vote(signal)}
        >
          {signal[0]!.toUpperCase() + signal.slice(1)}
        </Button>
      ))}
    </span>
  );
}
