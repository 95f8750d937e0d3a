/** The samplers that `OTEL_TRACES_SAMPLER` names. The packages no longer read that variable themselves. */
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
} from "@opentelemetry/sdk-trace";
import type { TRACES_SAMPLERS } from "../environment.ts";
import { ServiceError } from "../errors.ts";

export type SamplerName = (typeof TRACES_SAMPLERS)[number];

/**
 * Creates a sampler; `arg` is the share from 0 to 1 and is used by the ratio samplers only.
 * @throws ServiceError `validation_failed` for a share outside of 0 to 1.
 */
export function createSampler(name: SamplerName = "parentbased_always_on", arg = 1): Sampler {
  if (!(arg >= 0 && arg <= 1)) {
    throw new ServiceError("validation_failed", "Cannot sample traces: OTEL_TRACES_SAMPLER_ARG is not within 0 to 1");
  }
  switch (name) {
    case "always_on":
      return new AlwaysOnSampler();
    case "always_off":
      return new AlwaysOffSampler();
    case "traceidratio":
      return new TraceIdRatioBasedSampler(arg);
    case "parentbased_always_on":
      return new ParentBasedSampler({ root: new AlwaysOnSampler() });
    case "parentbased_always_off":
      return new ParentBasedSampler({ root: new AlwaysOffSampler() });
    case "parentbased_traceidratio":
      return new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(arg) });
  }
}
