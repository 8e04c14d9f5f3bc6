import { breakGlassBundle } from '@sallyport/contract/resources/accounts/break-glass-bundle.ts'
import type { FastifyRequest } from 'fastify'
import { refused } from '../../../kernel/errors/app-error.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { plainFields } from '../../../kernel/resource/plain-fields.ts'
import { getStored } from '../../../kernel/resource/read.ts'
import { mountedResource } from '../../../kernel/resource/registry.ts'
import { contextOf } from '../../../kernel/resource/routes.ts'
import { runTask, startTask } from '../../ops/index.ts'
import { onMembershipEnded } from '../../orgs/index.ts'
import { requireFreshMfa } from '../../users/index.ts'
import { changeAfterOpening } from './after-opening.ts'
import { accountsOf, type Bundle } from './contents.ts'
import { holdersOf, sealBundle } from './seal-bundle.ts'
import { accountsBreakGlass, accountsBreakGlassHolder } from './tables.ts'

const SEAL = 'accounts.seal_bundle'

/** Sealing bundles, and what follows when one was opened. */
export function registerBreakGlass(kernel: Kernel): void {
  const bundles = mountedResource(kernel, breakGlassBundle, accountsBreakGlass)
  onMembershipEnded({
    label: breakGlassBundle.label,
    links: accountsBreakGlassHolder,
    person: accountsBreakGlassHolder.user,
    thing: accountsBreakGlassHolder.bundle,
    orgId: accountsBreakGlass.org_id,
  })
  kernel.jobs.work<{ task: string; bundle: string }>(
    SEAL,
    ({ task, bundle }) => runTask(kernel, task, (log) => sealBundle(kernel, bundle, log)),
    { concurrency: 1 },
  )
  registerCalls(kernel, (request) => {
    const { id } = request.params as { id: string }
    return getStored(bundles, id, contextOf(kernel, request))
  })
}

function registerCalls(kernel: Kernel, bundleOf: (request: FastifyRequest) => Promise<Bundle>): void {
  const { app, db, audit } = kernel
  const url = `${breakGlassBundle.path}:id/`
  const config = { access: ['org_admin'] as const }
  app.route({
    method: 'POST',
    url: `${url}seal/`,
    config: {
      ...config,
      needsLicense: true,
      summary: 'Seal a bundle, and send each holder their file',
      answers: { fields: plainFields({ task: 'uuid' }) },
    },
    handler: async (request) => {
      const { call } = request
      const bundle = await bundleOf(request)
      // Secrets leave Sallyport, as by an export.
      await requireFreshMfa(kernel, call)
      await holdersOf(kernel, bundle, call.language)
      if (!(await accountsOf(db, bundle)).length) throw refused('bundle_is_empty', 'The bundle has no accounts')
      const { id, name, org_id: orgId } = bundle
      await audit.record(db, call, [
        {
          ...{ action: 'export', resourceType: breakGlassBundle.label, resource: name, orgId },
          object: { type: breakGlassBundle.name, id },
        },
      ])
      const task = { name: 'Seal a break-glass bundle', job: SEAL, data: { bundle: id }, orgId, isLogged: true }
      return { task: await startTask(kernel, call, task) }
    },
  })
  app.route({
    method: 'POST',
    url: `${url}opened/`,
    config: { ...config, summary: 'Say that a bundle was opened: all that is in it is changed' },
    handler: async (request) => changeAfterOpening(kernel, request.call, (await bundleOf(request)).id),
  })
}
