/** `/v1/admin/broker-keys` */
import * as broker_keys from "../../../operations/broker_keys.ts";
import { route } from "../../route.ts";

export { GROUP } from "./tenants.ts";

export const createBrokerKey = route("post", "/admin/broker-keys", broker_keys.createBrokerKey);
export const listBrokerKeys = route("get", "/admin/broker-keys", broker_keys.listBrokerKeys);
export const getBrokerKey = route("get", "/admin/broker-keys/{id}", broker_keys.getBrokerKey);
export const updateBrokerKey = route("patch", "/admin/broker-keys/{id}", broker_keys.updateBrokerKey);
export const rotateBrokerKey = route("post", "/admin/broker-keys/{id}/rotate", broker_keys.rotateBrokerKey);
export const revokeBrokerKey = route("post", "/admin/broker-keys/{id}/revoke", broker_keys.revokeBrokerKey);
