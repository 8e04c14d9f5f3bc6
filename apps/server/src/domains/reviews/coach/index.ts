import { accessProposal } from '@sallyport/contract/resources/reviews/access-proposal.ts'
import { eq } from 'drizzle-orm'
import { z } from 'zod'
import { callerOf, displayName, isRoot } from '../../../kernel/access/call.ts'
import type { Database } from '../../../kernel/database/database.ts'
import { refused } from '../../../kernel/errors/app-error.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import type { ReadContext } from '../../../kernel/resource/mount.ts'
import { plainFields } from '../../../kernel/resource/plain-fields.ts'
import { getStored, presentOne } from '../../../kernel/resource/read.ts'
import { mountedResource, resourcesOf } from '../../../kernel/resource/registry.ts'
import { contextOf } from '../../../kernel/resource/routes.ts'
import { updateRow } from '../../../kernel/resource/write.ts'
import { reviewsProposal } from '../tables.ts'
import { callOf } from './access-proposal.resource.ts'
import { askForLook, coverageOf, scheduleLooks } from './look.ts'

type Proposal = typeof reviewsProposal.$inferSelect

const DISMISSAL = z.object({ reason: z.string().trim().min(1).max(1024) })
const COVERAGE = {
  fields: plainFields({
    is_covered: 'boolean',
    days: 'integer',
    has_samples: 'boolean',
    installed_days: 'integer',
    kept_days: 'integer',
    is_looking: 'boolean',
    date_looked: 'datetime',
    many_people: 'integer',
  }),
}

/** The coach: reads 90 days of use, and proposes what to take away. */
export function registerCoach(kernel: Kernel): void {
  const proposals = mountedResource(kernel, accessProposal, reviewsProposal)
  const { path, label } = accessProposal
  const decided = (
    word: string,
    summary: string,
    takes: typeof DISMISSAL | undefined,
    values: (context: ReadContext, proposal: Proposal, body: unknown) => Promise<Partial<Proposal>>,
  ) =>
    kernel.app.route<{ Params: { id: string } }>({
      method: 'POST',
      url: `${path}:id/${word}/`,
      config: { access: ['org_admin'], summary: `${label}: ${summary}`, rows: accessProposal, takes },
      handler: async (request) => {
        const context = contextOf(kernel, request)
        const names = await kernel.orgNames()
        const stored = await kernel.db.transaction(async (db) => {
          const proposal = (await getStored(proposals, request.params.id, { ...context, db }, true)) as Proposal
          const org = { id: proposal.org_id, name: names.get(proposal.org_id) ?? '' }
          const inside = { ...context, db, call: { ...context.call, org }, parameters: {}, query: {} }
          return settle(kernel, inside, db, proposal, await values(inside, proposal, request.body))
        })
        return presentOne(proposals, stored, context)
      },
    })
  decided('apply', 'make its change', undefined, applyChange)
  decided('dismiss', 'propose it no more', DISMISSAL, async (_context, _proposal, body) => ({
    state: 'dismissed',
    reason: DISMISSAL.parse(body).reason,
  }))
  decided('reopen', 'propose it again', undefined, async () => ({ state: 'open', reason: '' }))
  registerCoverage(kernel)
  scheduleLooks(kernel)
}

/** By the write of what it changes, in the caller's name: rules, log and supervision are those of a change by hand. */
async function applyChange(context: ReadContext, { state, change }: Proposal): Promise<Partial<Proposal>> {
  if (!change) throw refused('no_change', 'This suggestion changes nothing by itself.')
  if (state === 'applied') throw refused('proposal_applied', 'This suggestion was applied already.')
  const { resource, id, body } = callOf(change)
  const target = resourcesOf(context.kernel).find(resource)
  if (!target) throw new Error(`${resource} is not mounted`)
  await updateRow(target, id, 'patch', body, context)
  return { state: 'applied', reason: '' }
}

async function settle(
  kernel: Kernel,
  { call }: ReadContext,
  db: Database,
  proposal: Proposal,
  values: Partial<Proposal>,
): Promise<Proposal> {
  const isOpen = values.state === 'open'
  const [stored] = await db
    .update(reviewsProposal)
    .set({
      ...values,
      decided_by: isOpen ? '' : displayName(callerOf(call)),
      date_decided: isOpen ? null : new Date(),
    })
    .where(eq(reviewsProposal.id, proposal.id))
    .returning()
  await kernel.audit.record(db, call, [
    {
      action: 'update',
      resourceType: accessProposal.label,
      resource: proposal.object_name,
      orgId: proposal.org_id,
      object: { type: accessProposal.name, id: proposal.id },
      changes: [
        { field: 'state', before: proposal.state, after: values.state ?? proposal.state },
        ...(values.reason ? [{ field: 'reason', before: proposal.reason, after: values.reason }] : []),
      ],
    },
  ])
  return stored ?? proposal
}

/** GET …/coverage/ says whether there is enough to go by; POST …/look/ has it looked at in the background, and answers the same. */
function registerCoverage(kernel: Kernel): void {
  const { path, label } = accessProposal
  kernel.app.route({
    method: 'GET',
    url: `${path}coverage/`,
    config: {
      access: ['org_admin'],
      summary: `${label}: whether there is enough use to go by`,
      rows: COVERAGE,
      answers: 'row',
    },
    handler: ({ call }) => coverageOf(kernel, call.org.id),
  })
  kernel.app.route({
    method: 'POST',
    url: `${path}look/`,
    config: {
      access: ['org_admin'],
      summary: `${label}: look for them now`,
      answers: {
        fields: plainFields({
          is_covered: 'boolean',
          days: 'integer',
          installed_days: 'integer',
          kept_days: 'integer',
          has_samples: 'boolean',
          is_looking: 'boolean',
          date_looked: 'string',
          many_people: 'integer',
        }),
      },
    },
    handler: async ({ call }) => {
      if (isRoot(call)) throw refused('choose_org', 'Choose an organization first.')
      await askForLook(kernel, call.org.id)
      return coverageOf(kernel, call.org.id)
    },
  })
}
