import { ROOT_ORG_ID } from '@sallyport/contract/constants.ts'
import type { Field } from '@sallyport/contract/define.ts'
import type { FieldErrors } from '@sallyport/contract/errors.ts'
import { isRoot } from '../../access/call.ts'
import type { LinkDifference } from '../../audit/audit.ts'
import { invalid } from '../../errors/app-error.ts'
import { translate } from '../../i18n/translate.ts'
import { parseDateTime } from '../datetime.ts'
import { isUnaudited, type ReadContext, type StoredRow, type WriteContext } from '../mount.ts'
import type { WriteLog } from '../operate-log/write-log.ts'
import { resolveReferences } from '../references.ts'
import type { MountedResource } from '../registry.ts'
import { readBody, type WriteMode } from '../schema.ts'
import { readShapes } from '../shapes.ts'
import type { AfterCommit } from '../transaction.ts'

/** The work of a call that is left once all its rows are stored. */
export interface Pending {
  afterCommit: AfterCommit
  log: WriteLog
}

/** A row that is ready to be stored. */
export interface Prepared {
  context: WriteContext
  /** Grows as rules run. */
  noted: LinkDifference[]
  /** The row that is there already, and is answered instead. */
  existing?: StoredRow | undefined
}

/** Reads and checks a body, up to the rules that run before it is stored. */
export async function prepare(
  resource: MountedResource,
  mode: WriteMode,
  body: unknown,
  row: StoredRow | undefined,
  caller: ReadContext,
  { afterCommit }: Pending,
): Promise<Prepared> {
  const { definition, mount } = resource
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw invalid({ non_field_errors: 'Invalid data. Expected an object.' })
  const sent = body as Record<string, unknown>
  const context = definition.scope === 'org' && isRoot(caller.call) ? await inOrgOfRow(caller, row, sent) : caller
  const { call } = context
  const { values: draft, errors } = readBody(definition, mode, call.language, sent)
  if (Object.keys(errors).length) throw invalid(errors)
  readLocalTimes(definition.fields, draft, call.timeZone, errors, call.language)
  await readShapes(resource, mode, sent, draft, row, context, errors)
  if (mode === 'update') keepWhatPutLeavesAlone(resource, draft, sent)
  if (row) {
    keepNothing(draft, row)
    keepFractions(draft, row)
  }
  await resolveReferences(resource, draft, context, errors)
  if (Object.keys(errors).length) throw invalid(errors)

  const noted: LinkDifference[] = []
  const asked: WriteContext = {
    ...context,
    mode,
    draft,
    body: sent,
    row,
    afterCommit: (work) => afterCommit.push(work),
    note: (change) => noted.push(change),
  }
  for (const rule of mount.rules?.beforeWrite ?? []) await rule(asked)
  return { context: asked, noted, existing: row ? undefined : await mount.rules?.existing?.(asked) }
}

/** The rules and the log that follow once a row and its relations are stored. */
export async function finish(
  { definition, mount }: MountedResource,
  { context, noted }: Prepared,
  stored: StoredRow,
  links: readonly LinkDifference[],
  { log }: Pending,
): Promise<void> {
  for (const rule of mount.rules?.afterWrite ?? []) await rule({ ...context, stored })
  if (!isUnaudited(mount, context.call)) log.add({ definition, mount }, context, stored, [...links, ...noted])
}

export const CHOOSE_ORG = 'Choose an organization first: nothing can be created in the root organization.'

/**
 * A write from the root organization runs in the row's own, so that references and rules stay
 * inside that. A new row must say where it belongs, or the write is refused
 * (docs/rules/api.md#writes).
 */
async function inOrgOfRow(
  context: ReadContext,
  row: StoredRow | undefined,
  sent: Readonly<Record<string, unknown>>,
): Promise<ReadContext> {
  const wanted = String(row?.org_id ?? (typeof sent.org_id === 'string' ? sent.org_id.toLowerCase() : ''))
  const name = wanted === ROOT_ORG_ID ? undefined : (await context.kernel.orgNames()).get(wanted)
  if (name === undefined) throw invalid({ org_id: CHOOSE_ORG })
  return { ...context, call: { ...context.call, org: { id: wanted, name } } }
}

/** Reads times without an offset in the client's zone. */
function readLocalTimes(
  fields: Readonly<Record<string, Field>>,
  draft: Record<string, unknown>,
  timeZone: string,
  errors: FieldErrors,
  language: 'cn' | 'en',
): void {
  for (const [name, value] of Object.entries(draft)) {
    if (fields[name]?.type !== 'datetime' || typeof value !== 'string') continue
    const date = parseDateTime(value, timeZone)
    if (date) draft[name] = date
    else errors[name] = [translate(language, 'Datetime has wrong format.')]
  }
}

/**
 * PUT resets missing fields to their default, except relations and fields listed in `keepOnPut`.
 */
function keepWhatPutLeavesAlone(
  { mount }: MountedResource,
  draft: Record<string, unknown>,
  sent: Record<string, unknown>,
): void {
  for (const name of [...Object.keys(mount.relations ?? {}), ...(mount.keepOnPut ?? [])])
    if (!(name in sent)) delete draft[name]
}

/**
 * Forms and files send an empty text for no value: where none is stored, that changes nothing.
 */
function keepNothing(draft: Record<string, unknown>, row: StoredRow): void {
  for (const [name, value] of Object.entries(draft)) if (value === '' && row[name] === null) delete draft[name]
}

/** The wire has whole seconds: a time that is sent back as it was read is the one that is stored. */
function keepFractions(draft: Record<string, unknown>, row: StoredRow): void {
  const secondOf = (date: Date) => Math.floor(date.getTime() / 1000)
  for (const [name, value] of Object.entries(draft)) {
    const stored = row[name]
    if (value instanceof Date && stored instanceof Date && secondOf(value) === secondOf(stored)) draft[name] = stored
  }
}
