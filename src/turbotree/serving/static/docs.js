// The OpenAPI document as a page, without any script from elsewhere.

import { by, html } from "./dom.js";

let schemas = {};

const resolve = (schema) => (schema?.$ref ? schemas[schema.$ref.split("/").at(-1)] : schema) ?? {};

function typeOf(schema) {
  if (!schema) return "";
  if (schema.$ref) return schema.$ref.split("/").at(-1);
  if (schema.anyOf) return [...new Set(schema.anyOf.map(typeOf))].join(" or ");
  if (schema.type === "array") return `list of ${typeOf(schema.items) || "anything"}`;
  return schema.type ?? "anything";
}

function fields(title, schema) {
  const properties = Object.entries(schema.properties ?? {});
  if (!properties.length) return null;
  return html("table", {}, html("caption", {}, title),
    html("tbody", {}, properties.map(([name, one]) => html("tr", {},
      html("th", { scope: "row" }, html("code", {}, name)),
      html("td", {}, typeOf(one)),
      html("td", {}, one.description ?? (schema.required?.includes(name) ? "needed" : ""))))));
}

function example(path, verb, schema) {
  const body = schema?.examples?.[0];
  const data = body ? ` \\\n  -H 'content-type: application/json' \\\n  -d '${JSON.stringify(body)}'` : "";
  if (verb === "post" && !body) return null;
  return html("pre", { tabindex: 0 }, `curl ${location.origin}${path}${data}`);
}

function route(path, verb, about) {
  const asked = resolve(about.requestBody?.content?.["application/json"]?.schema);
  const answer = about.responses?.["200"]?.content?.["application/json"]?.schema;
  const refusals = Object.entries(about.responses ?? {}).filter(([status]) => status !== "200");
  return html("section", { class: "card route" },
    html("h2", {}, html("span", { class: "verb" }, verb.toUpperCase()), html("code", {}, path)),
    html("p", {}, about.description ?? ""),
    example(path, verb, asked),
    fields("Request", asked),
    answer ? fields(`Answer: ${typeOf(answer)}`, resolve(answer)) : null,
    refusals.length
      ? html("p", { class: "hint" }, "Refused with ", refusals.map(([status, one]) => `${status} (${one.description})`).join(" "))
      : null);
}

function shape(name) {
  return html("section", { class: "card route" }, html("h2", {}, html("code", {}, name)),
    html("p", {}, schemas[name].description ?? ""), fields("Fields", schemas[name]));
}

async function start() {
  const place = by("routes");
  try {
    const document_ = await (await fetch("openapi.json")).json();
    schemas = document_.components?.schemas ?? {};
    const routes = Object.entries(document_.paths).flatMap(([path, verbs]) =>
      Object.entries(verbs).map(([verb, about]) => route(path, verb, about)));
    const inside = ["TokenInput", "Document", "ParsedSentence", "Tree", "Certificate", "Alternatives", "Trace", "ErrorAnswer"];
    place.replaceChildren(html("p", {}, document_.info.description), ...routes,
      ...inside.filter((name) => schemas[name]).map(shape));
  } catch {
    place.replaceChildren(html("p", { class: "message", role: "alert" }, "The server cannot be reached."));
  }
}

start();
