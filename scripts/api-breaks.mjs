/**
 * Changes of the API that break programs written for its last release. `npm test` compares each build
 * with `apps/server/test/releases/api.json`; by hand:
 *
 *     node scripts/api-breaks.mjs http://127.0.0.1:8080     # the document of a running server
 */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { shapeOfApi } from './api-shape.mjs'

const ROOT = new URL('../', import.meta.url)
export const RELEASED = new URL('apps/server/test/releases/api.json', ROOT)

/**
 * What breaks programs, each as `[what, why]`: `GET /api/v1/…` for a call, `asset.hostname` for a field.
 * More calls, more fields in answers and more that may be sent break nobody.
 */
export function breaksBetween(before, now) {
  const breaks = []
  for (const [call, shape] of Object.entries(before.paths)) {
    const next = now.paths[call]
    if (next) breaks.push(...breaksOfCall(call, shape, next))
    else breaks.push([call, 'is gone'])
  }
  for (const [name, shape] of Object.entries(before.schemas)) {
    const next = now.schemas[name]
    if (!next) breaks.push([name, 'is gone'])
    else breaks.push(...differences(name, shape, next, name.endsWith('_draft')))
  }
  return breaks
}

function breaksOfCall(call, before, now) {
  const breaks = []
  const asked = new Set((now.query ?? '').split(' '))
  for (const name of (before.query ?? '').split(' ').filter(Boolean))
    if (!asked.has(name)) breaks.push([`${call} ?${name}`, 'is no longer asked for'])
  if (before.open && !now.open) breaks.push([call, 'wants a caller who is signed in'])
  if (before.status !== now.status) breaks.push([call, `answers ${now.status}, not ${before.status}`])
  if (now.body !== undefined) breaks.push(...differences(`${call} body`, before.body ?? {}, now.body, true))
  if (before.answer !== undefined) breaks.push(...differences(`${call} answer`, before.answer, now.answer, false))
  return breaks
}

/** `isSent`: what a program sends must still be taken; otherwise what it reads must still come. */
function differences(at, before, now, isSent) {
  if (JSON.stringify(before) === JSON.stringify(now) || (isSent ? now : before) === 'any') return []
  if (now === undefined) return [[at, 'is gone']]
  if (unionOf(before) || unionOf(now)) return ofUnions(at, before, now, isSent)
  if (Array.isArray(before) && Array.isArray(now)) return differences(`${at}[]`, before[0], now[0], isSent)
  if (isObject(before) && isObject(now)) return ofObjects(at, before, now, isSent)
  if (typeof before === 'string' && typeof now === 'string') return ofValues(at, before, now, isSent)
  // An object of which nothing was said is an object still.
  if (isPlainObject(isSent ? now : before) && isObject(isSent ? before : now)) return []
  return [[at, `was ${inShort(before)}, is ${inShort(now)}`]]
}

const isObject = (shape) => typeof shape === 'object' && shape !== null && !Array.isArray(shape)
const isPlainObject = (shape) => typeof shape === 'string' && /^object\??$/.test(shape)
const unionOf = (shape) => (isObject(shape) ? shape['|'] : undefined)
const inShort = (shape) => JSON.stringify(shape).slice(0, 80)

/** Each form that was taken still is; each that comes is one that came. */
function ofUnions(at, before, now, isSent) {
  const [old, next] = [unionOf(before) ?? [before], unionOf(now) ?? [now]]
  const fits = (a, b) => differences(at, a, b, isSent).length === 0
  const lost = isSent
    ? old.filter((one) => !next.some((other) => fits(one, other)))
    : next.filter((one) => !old.some((other) => fits(other, one)))
  return lost.map((one) => [at, isSent ? `no longer takes ${inShort(one)}` : `also answers ${inShort(one)}`])
}

function ofObjects(at, before, now, isSent) {
  const next = fieldsOf(now)
  const old = fieldsOf(before)
  const breaks = []
  for (const [name, { shape, must }] of old) {
    const other = next.get(name)
    if (!other) breaks.push([`${at}.${name}`, 'is gone'])
    else {
      if (isSent && other.must && !must) breaks.push([`${at}.${name}`, 'must be sent'])
      breaks.push(...differences(`${at}.${name}`, shape, other.shape, isSent))
    }
  }
  for (const [name, { must }] of next)
    if (isSent && must && !old.has(name)) breaks.push([`${at}.${name}`, 'must be sent'])
  return breaks
}

const fieldsOf = (shape) =>
  new Map(
    Object.entries(shape).map(([name, inside]) =>
      name.endsWith('*') ? [name.slice(0, -1), { shape: inside, must: true }] : [name, { shape: inside, must: false }],
    ),
  )

function ofValues(at, before, now, isSent) {
  const [old, next] = [readValue(before), readValue(now)]
  const was = [[at, `was ${before}, is ${now}`]]
  // A text that is now one of some choices is a text for those who read it.
  const isNarrower = !isSent && old.type === 'string' && next.type === 'choice'
  const isWider = isSent && old.type === 'choice' && next.type === 'string'
  const types = next.type.split('/')
  const fits = isSent
    ? old.type.split('/').every((one) => types.includes(one))
    : types.every((one) => old.type.split('/').includes(one))
  if (!fits && !isNarrower && !isWider) return was
  if (isSent ? old.isNull && !next.isNull : next.isNull && !old.isNull) return was
  if (!isSent) return []
  const lost = next.choices && old.choices?.filter((one) => !next.choices.includes(one))
  if (lost?.length) return [[at, `no longer takes ${lost.join(', ')}`]]
  return next.most < old.most || next.max < old.max || next.min > old.min ? was : []
}

function readValue(text) {
  const [, inner, type, most, min, max, isNull] =
    /^(?:\((.*)\)|([^≤[?]+)(?:≤(\d+))?(?:\[(-?[\d.]*?)\.\.(-?[\d.]*)\])?)(\??)$/.exec(text) ?? []
  return {
    type: inner === undefined ? (type ?? text) : 'choice',
    choices: inner?.split('|'),
    most: most ? Number(most) : Number.POSITIVE_INFINITY,
    min: min ? Number(min) : Number.NEGATIVE_INFINITY,
    max: max ? Number(max) : Number.POSITIVE_INFINITY,
    isNull: isNull === '?',
  }
}

/** Those that the newest release in the list of changes does not name, in backquotes. */
export function unnamed(breaks, changes = readFileSync(new URL('CHANGELOG.md', ROOT), 'utf8')) {
  const [, newest = ''] = changes.split(/^## /m)
  const named = new Set([...newest.matchAll(/`([^`]+)`/g)].map(([, words]) => words))
  return breaks.filter(([what]) => !named.has(what))
}

/** Changes that break clients without a word of it, as lines for people; the released shape is in its file. */
export function refusedChanges(document) {
  const released = JSON.parse(readFileSync(RELEASED, 'utf8'))
  const left = unnamed(breaksBetween(released, shapeOfApi(document)))
  return left.map(([what, why]) => `\`${what}\` ${why}`)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , server] = process.argv
  const answer = await fetch(new URL('/api/docs/', server ?? 'http://127.0.0.1:8080'))
  const lines = refusedChanges(await answer.json())
  for (const line of lines) console.error(line)
  console.log(
    lines.length ? `${lines.length} changes break clients and are not named in CHANGELOG.md` : 'No client breaks.',
  )
  process.exitCode = lines.length ? 1 : 0
}
