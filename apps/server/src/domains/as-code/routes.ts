import { AS_CODE, type AsCodePlan, type AsCodeRequest } from '@sallyport/contract/as-code.ts'
import type { FastifyRequest } from 'fastify'
import { isRoot } from '../../kernel/access/call.ts'
import { changeOf } from '../../kernel/audit/named-change.ts'
import { lockUntilCommit } from '../../kernel/database/locks.ts'
import { AppError, refused } from '../../kernel/errors/app-error.ts'
import { translate } from '../../kernel/i18n/translate.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { producedStream } from '../../kernel/produced-stream.ts'
import type { ReadContext } from '../../kernel/resource/mount.ts'
import { plainFields } from '../../kernel/resource/plain-fields.ts'
import { previewed } from '../../kernel/resource/preview/preview.ts'
import { list, singleValues } from '../../kernel/resource/query.ts'
import { contextOf } from '../../kernel/resource/routes.ts'
import { CHOOSE_ORG } from '../../kernel/resource/store/prepare.ts'
import { inTransaction } from '../../kernel/resource/transaction.ts'
import { Slots } from '../../kernel/slots.ts'
import { carryOut } from './carry-out.ts'
import { digestOf } from './differences.ts'
import { requestBody } from './documents.ts'
import { refusalOf } from './door.ts'
import { rowsToExport, writeExport } from './export-organization.ts'
import { KINDS, type Kind, kindNamed } from './kinds.ts'
import type { Outcome } from './run.ts'

/** Plans and applies at a time on one node: each holds a connection, and previews of forms are not kept waiting. */
const slots = new Slots(2)

const access = ['org_admin'] as const

const PLAN = {
  fields: plainFields({
    digest: 'string',
    created: 'integer',
    updated: 'integer',
    deleted: 'integer',
    unchanged: 'integer',
    changes: 'list',
    errors: 'list',
    wanted_secrets: 'list',
    access: 'object',
    access_refusal: 'string',
  }),
}

export function registerRoutes(kernel: Kernel): void {
  const { app } = kernel
  app.route({
    method: 'GET',
    url: AS_CODE.export,
    config: {
      access,
      ofSeveralAreas: true,
      summary: 'The organization as code: rows by kind, with names in the places of ids',
      answers: {
        fields: Object.fromEntries(
          KINDS.map(({ name, definition, isTree }) => [
            name,
            { type: isTree ? 'strings' : 'list', label: definition.label, readOnly: true },
          ]),
        ),
      },
    },
    handler: async (request, reply) => {
      const context = contextFor(kernel, request)
      const { call } = context
      const kinds = kindsFor(context, singleValues(request.query).kinds)
      const ids = await rowsToExport(kinds, context)
      const count = [...ids.values()].reduce((sum, some) => sum + some.length, 0)
      await kernel.audit.record(kernel.db, call, [
        { action: 'export', resourceType: 'Organization as code', resource: String(count), orgId: call.org.id },
      ])
      const stream = await producedStream(call.user?.id ?? call.remoteAddress, (write) =>
        writeExport(ids, context, write),
      )
      return reply.type('application/json; charset=utf-8').send(stream)
    },
  })
  app.route({
    method: 'POST',
    url: AS_CODE.plan,
    config: {
      access,
      ofSeveralAreas: true,
      takesMany: true,
      summary: 'What an apply of files would change, who gains and loses access; changes nothing',
      takes: requestBody,
      answers: PLAN,
    },
    handler: async (request) => {
      const context = contextFor(kernel, request)
      const body = requestBody.parse(request.body ?? {})
      return slots.use(() => planFor(context, request, body), request.call.user?.id)
    },
  })
  app.route({
    method: 'POST',
    url: AS_CODE.apply,
    config: {
      access,
      ofSeveralAreas: true,
      takesMany: true,
      summary: 'Carry a plan out, all of it or nothing',
      takes: requestBody,
      answers: PLAN,
    },
    handler: async (request, reply) => {
      const context = { ...contextFor(kernel, request), change: changeOf(reply) }
      const body = requestBody.parse(request.body ?? {})
      return slots.use(() => inTransaction(context, (inside) => applied(inside, body)), request.call.user?.id)
    },
  })
}

/** Throws 403 for callers who may read no kind, and 400 in the root organization: files are of one organization. */
function contextFor(kernel: Kernel, request: FastifyRequest): ReadContext {
  const context = contextOf(kernel, request)
  const refusals = KINDS.map(({ definition }) => refusalOf(definition, 'list', context))
  const [first] = refusals
  if (first && refusals.every((refusal) => refusal)) throw first
  if (isRoot(request.call)) throw refused('bad_request', CHOOSE_ORG)
  return context
}

/** The kinds that are asked for, else all that the caller may read. Throws what refuses one that is asked for. */
function kindsFor(context: ReadContext, asked: string | undefined): Kind[] {
  if (!asked) return KINDS.filter(({ definition }) => !refusalOf(definition, 'list', context))
  const names = list(asked)
  const wanted = KINDS.filter(({ name }) => names.includes(name))
  if (names.some((name) => !kindNamed(name)))
    throw refused('bad_request', 'There is no such kind: {{kinds}}', {
      kinds: KINDS.map(({ name }) => name).join(', '),
    })
  for (const { definition } of wanted) {
    const refusal = refusalOf(definition, 'list', context)
    if (refusal) throw refusal
  }
  return wanted
}

/** The body is read already: a preview copies it for each of its runs. */
const withoutBody = (request: FastifyRequest): FastifyRequest =>
  Object.create(request, { body: { value: undefined, writable: true } })

/** Ends the trial where there is nothing to learn about rights. */
class Tried extends Error {}

/**
 * The plan comes from the same writes as its apply, in a transaction that is rolled back. A preview of them
 * says who gains and loses what.
 */
async function planFor(context: ReadContext, request: FastifyRequest, body: AsCodeRequest): Promise<AsCodePlan> {
  let outcome: Outcome | undefined
  const isAboutRights = ({ changes, errors }: Outcome) =>
    !errors.length && changes.some(({ kind }) => kindNamed(kind)?.definition.bearsRights)
  const answer = (access: AsCodePlan['access'], refusal = '') =>
    planOf(context, body, outcome as Outcome, access, refusal)
  try {
    const effects = await previewed(context.kernel, async () => {
      outcome = await inTransaction(context, (inside) => carryOut(inside, body, true))
      if (!isAboutRights(outcome)) throw new Tried()
    })(withoutBody(request))
    return answer(effects as AsCodePlan['access'])
  } catch (error) {
    if (error instanceof Tried) return answer(null)
    if (!outcome || !(error instanceof AppError) || error.code !== 'no_preview') throw error
    return answer(null, translate(context.call.language, error.message))
  }
}

async function applied(context: ReadContext, body: AsCodeRequest): Promise<AsCodePlan> {
  const { org, language } = context.call
  // The second of two at once sees what the first has done, and is refused by its digest.
  await lockUntilCommit(context.db, `as_code ${org.id}`)
  const plan = planOf(context, body, await carryOut(context, body, false), null)
  if (plan.errors.length)
    throw new AppError(400, 'invalid', 'The files have errors: nothing was changed.', {
      body: {
        detail: translate(language, 'The files have errors: nothing was changed.'),
        code: 'invalid',
        errors: plan.errors,
      },
    })
  if (plan.digest !== body.digest)
    throw new AppError(409, 'conflict', 'Something has changed since the plan: nothing was done. Plan again.')
  return plan
}

function planOf(
  { call }: ReadContext,
  body: AsCodeRequest,
  { changes, errors, wanted, unchanged }: Outcome,
  effects: AsCodePlan['access'],
  refusal = '',
): AsCodePlan {
  const count = (action: string) => changes.filter((one) => one.action === action).length
  return {
    digest: errors.length ? '' : digestOf(call.org.id, body, changes),
    created: count('create'),
    updated: count('update'),
    deleted: count('delete'),
    unchanged,
    changes,
    errors: errors.slice(0, 1000),
    wanted_secrets: wanted,
    access: effects,
    access_refusal: refusal,
  }
}
