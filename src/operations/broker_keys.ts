/** Keys of brokers under an admin's bearer. */
import * as brokers from "../domain/access/admin/broker_keys.ts";
import {
  BrokerKey,
  BrokerKeyPage,
  BrokerKeyParams,
  CreateBrokerKeyBody,
  IssuedBrokerKey,
  ListBrokerKeysQuery,
  RotateBrokerKeyBody,
  UpdateBrokerKeyBody,
} from "../schema/broker_key.ts";
import { operation } from "./operation.ts";

/** Creates a broker with its key. */
export const createBrokerKey = operation({
  id: "createBrokerKey",
  summary: "Create the key of a broker",
  description:
    "A broker stands for an app. Its key makes a workspace for each user of the app (`POST /v1/admin/tenants`) and gives credentials for these workspaces, of its region, and within its scopes and clearance. It opens nothing else: it neither reads nor writes memory itself. Only this reply shows the key.",
  bearer: "admin",
  scope: "memory:admin",
  body: CreateBrokerKeyBody,
  status: 201,
  reply: IssuedBrokerKey,
  versioned: true,
  repliesSecret: true,
  errors: ["conflict"],
  example: {
    body: { name: "notes app", region: "eu-west-1", scopes: ["memory:read", "memory:write", "session:write"] },
  },
}, (ctx, { body }) => brokers.createBrokerKey(ctx, body));

/** Lists brokers' keys, the newest first. */
export const listBrokerKeys = operation({
  id: "listBrokerKeys",
  summary: "List the keys of brokers",
  description: "Without secrets, including revoked and expired ones.",
  bearer: "admin",
  scope: "memory:admin",
  changes: false,
  query: ListBrokerKeysQuery,
  reply: BrokerKeyPage,
}, (ctx, { query }) => brokers.pageBrokerKeys(ctx, query));

/** Reads a broker's key. */
export const getBrokerKey = operation({
  id: "getBrokerKey",
  summary: "Read the key of a broker, without its secret",
  bearer: "admin",
  scope: "memory:admin",
  changes: false,
  params: BrokerKeyParams,
  reply: BrokerKey,
  versioned: true,
}, (ctx, { params }) => brokers.getBrokerKey(ctx, params.id));

/** Changes a broker's key. */
export const updateBrokerKey = operation({
  id: "updateBrokerKey",
  summary: "Change what a broker may give to its tenants",
  description:
    "The change takes effect immediately, in every process. Tokens that the broker gave lose what it may no longer give; keys that it gave stay as they are.",
  bearer: "admin",
  scope: "memory:admin",
  params: BrokerKeyParams,
  body: UpdateBrokerKeyBody,
  reply: BrokerKey,
  versioned: true,
  errors: ["invalid_transition"],
  example: { body: { scopes: ["memory:read", "memory:write"], maxSensitivity: "internal" } },
}, (ctx, { params, body, expectedVersion }) => brokers.updateBrokerKey(ctx, params.id, body, expectedVersion));

/** Gives a broker a new secret. */
export const rotateBrokerKey = operation({
  id: "rotateBrokerKey",
  summary: "Give a broker a new secret",
  description:
    "The previous key stays valid for `overlapSeconds`, so that the app can switch; one that was replaced before ends now. The broker keeps its tenants.",
  bearer: "admin",
  scope: "memory:admin",
  expectsVersion: false,
  params: BrokerKeyParams,
  body: RotateBrokerKeyBody,
  reply: IssuedBrokerKey,
  versioned: true,
  repliesSecret: true,
  errors: ["invalid_transition"],
  example: { body: { overlapSeconds: 3_600 } },
}, (ctx, { params, body }) => brokers.rotateBrokerKey(ctx, params.id, body));

/** Revokes a broker's key. */
export const revokeBrokerKey = operation({
  id: "revokeBrokerKey",
  summary: "Revoke the key of a broker",
  description:
    "The key ends for good; every process refuses it, and the tokens that it gave, within a second. Its tenants and their keys stay, and admins manage them.",
  bearer: "admin",
  scope: "memory:admin",
  expectsVersion: false,
  params: BrokerKeyParams,
  reply: BrokerKey,
  versioned: true,
}, (ctx, { params }) => brokers.revokeBrokerKey(ctx, params.id));
