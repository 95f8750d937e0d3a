import assert from "node:assert/strict";
import { type NameForm, nameForms, QueryNames } from "./names.ts";

const form = (name: string): NameForm => nameForms(name)[0]!;

/** Those of some names that a query names; `held` are words that texts hold. */
function named(query: string, names: readonly string[], held: readonly string[] = []): string[] {
  const forms = names.map((name) => ({ name, form: form(name) }));
  const words = new QueryNames(query);
  const keys = new Set(words.keys);
  const exact = forms.filter(({ form: { key } }) => keys.has(key));
  const known = new Set(held.map((word) => form(word).key));
  const doubtful = words.doubtful(known, exact.map(({ form: { key } }) => key));
  const slices = words.slices(doubtful);
  const offered = forms.filter(({ form: { key } }) => slices.some(({ from, to }) => key >= from && key < to));
  const mistaken = new Set(words.findMistaken(offered.map((one) => one.form), doubtful));
  return forms.filter(({ form: { key } }) => keys.has(key) || mistaken.has(key)).map(({ name }) => name);
}

Deno.test("a name is named where all of its words stand together, in whatever form and spacing", () => {
  assert.deepEqual(named("Which clusters run in machine-learning?", ["cluster", "Machine  Learning"]), [
    "cluster",
    "Machine  Learning",
  ]);
  assert.deepEqual(named("the bank in America", ["Bank of America", "bank", "America"]), ["bank", "America"]);
  assert.deepEqual(named("has the Bank of America called?", ["The Bank of America"]), ["The Bank of America"]);
  assert.deepEqual(named("learning about a machine", ["machine learning"]), []);
  assert.deepEqual(named("Was ist mit 北京大学?", ["北京", "北京大学", "上海"]), ["北京", "北京大学"]);
});

Deno.test("one mistake is forgiven in each word of four letters or more, but not in its first letter", () => {
  const names = ["Kubernetes", "New York", "Anna", "Bob", "i18n", "2024"];
  for (const query of ["kuberntes", "Kubernetess", "kubenretes", "kubarnetes"]) {
    assert.deepEqual(named(`upgrade ${query} now`, names), ["Kubernetes"], query);
  }
  assert.deepEqual(named("flights to new yirk", names), ["New York"]);
  assert.deepEqual(named("Annna and Anne", names), ["Anna"]);
  for (const query of ["xubernetes", "kubrntes", "Bub", "i17n", "2025", "yirk new", "an"]) {
    assert.deepEqual(named(query, names), [], query);
  }
});

Deno.test("a name in another language is named by other forms of its words, where the query shows the language", () => {
  assert.deepEqual(named("Welche Rechnung ist noch nicht bezahlt?", ["Rechnungen", "Rechner"]), ["Rechnungen"]);
  assert.deepEqual(named("서울에 있는 사무실은 어디예요?", ["서울", "부산"]), ["서울"]);
  assert.deepEqual(named("Что нового в Москве?", ["Москва", "Минск"]), ["Москва"]);
  assert.deepEqual(named("¿Cuándo llegan los servidores nuevos?", ["servidor"]), ["servidor"]);
});

Deno.test("a word that texts hold, or another name, is taken as it is written", () => {
  assert.deepEqual(named("Mary", ["Mark", "Mary"]), ["Mary"]);
  assert.deepEqual(named("Mary", ["Mark"]), ["Mark"]);
  assert.deepEqual(named("does she want it", ["Wang"], ["wants"]), []);
});

Deno.test("words that say little are no names, unless their capitals say so", () => {
  assert.deepEqual(named("what is it about", ["IT", "The Who"]), []);
  assert.deepEqual(named("ask IT about it", ["IT"]), ["IT"]);
  assert.deepEqual(named("tickets for The Who", ["The Who"]), ["The Who"]);
});

Deno.test("the share of a name in a query counts the words that say something", () => {
  const query = new QueryNames("What is the k8s version in prod?");
  assert.equal(query.share([form("k8s").key]), 1 / 3);
  assert.equal(query.share([form("k8s").key, form("prod").key, form("k8s").key]), 2 / 3);
  assert.equal(query.share([]), 0);
  assert.equal(query.written(form("K8S").key), "k8s");
});

Deno.test("a name without words, or with more than anybody says, has no form", () => {
  assert.deepEqual(nameForms("—"), []);
  assert.deepEqual(nameForms("word ".repeat(13)), []);
  assert.equal(nameForms("The Cluster")[0]?.key, form("clusters").key);
});
