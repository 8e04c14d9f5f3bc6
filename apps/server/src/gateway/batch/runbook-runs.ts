import { BATCH_HOSTS_MAX } from '@sallyport/contract/resources/ops/command-execution.ts'
import { type RunbookPreview, type RunbookRun, runbook } from '@sallyport/contract/resources/ops/runbook.ts'
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { WaitingHost } from '../../domains/ops/command-executions/index.ts'
import { FILE_MODE, filesOf, runbooksOf } from '../../domains/ops/runbooks/index.ts'
import { callerOf } from '../../kernel/access/call.ts'
import { invalid } from '../../kernel/errors/app-error.ts'
import { translate } from '../../kernel/i18n/translate.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { getStored } from '../../kernel/resource/read.ts'
import type { MountedResource } from '../../kernel/resource/registry.ts'
import { contextOf } from '../../kernel/resource/routes.ts'
import { createRow } from '../../kernel/resource/write.ts'
import { type Notice, wordsOf } from '../session/notice.ts'
import { placeRun } from './admit-batch.ts'
import { judgeMachines } from './judge-machines.ts'
import { bodyOf, planRun, VALUES } from './runbook-plan.ts'
import { requireSecrets } from './secret-rights.ts'

const RUN = z.object({
  hosts: z.array(z.guid()).min(1).max(BATCH_HOSTS_MAX),
  run_as: z.guid(),
  values: VALUES.default({}),
  version: z.int().optional(),
})

/**
 * Runbooks, the preview of a run, and running one: as a batch command of the caller, with their
 * permission for each machine, judged, confirmed, stored and shown as any other.
 */
export function registerRunbooks(kernel: Kernel, executions: MountedResource): void {
  const runbooks = runbooksOf(kernel)

  const plan = async (request: FastifyRequest<{ Params: { id: string } }>) => {
    const context = contextOf(kernel, request)
    const stored = await getStored(runbooks, request.params.id, context)
    const { version, ...asked } = RUN.parse(request.body ?? {})
    const run: RunbookRun = { ...asked, ...(version === undefined ? {} : { version }) }
    const placed = await placeRun(kernel, { call: request.call, hosts: run.hosts, systemUserId: run.run_as })
    if (placed.orgId !== stored.org_id) throw invalid({ run_as: 'Not found.' })
    return { context, stored, run, placed, planned: planRun(request.call, stored, run, placed) }
  }

  kernel.app.route<{ Params: { id: string } }>({
    method: 'POST',
    url: `${runbook.path}:id/preview/`,
    config: { access: ['org_member'], summary: 'Runbook: what a run would do, without doing it', takes: RUN },
    handler: async (request): Promise<RunbookPreview> => {
      const { stored, run, placed, planned } = await plan(request)
      const files = new Map((await filesOf(kernel.db, stored.steps, stored.org_id)).map((file) => [file.id, file]))
      const hosts = [...placed.names].map(([asset, name]): WaitingHost => {
        return { asset, name, command: planned.commands.get(asset) ?? planned.command }
      })
      const { language } = request.call
      const judged = { userId: callerOf(request.call).id, systemUserId: run.run_as }
      const { everywhere, refused, toConfirm } = await judgeMachines(kernel.db, judged, hosts)
      const held = new Set(toConfirm.flatMap((group) => group.hosts.map(({ asset }) => asset)))
      const why = (notice: Notice) => ({ state: 'skipped' as const, reason: wordsOf(notice, language) })
      const hostFacts = ({ asset, name }: WaitingHost) => {
        const refusal = everywhere ?? refused.get(asset)
        const asks = translate(language, 'Others are asked to confirm it')
        const verdict = held.has(asset)
          ? { state: 'held' as const, reason: asks }
          : { state: 'waiting' as const, reason: '' }
        return { asset, name, ...(refusal ? why(refusal) : verdict) }
      }
      const texts = Map.groupBy(hosts, ({ command }) => command)
      return {
        version: stored.version,
        run_as_display: placed.runAs,
        files: stored.steps.flatMap(({ file = '', path = '', mode, owner = '' }, at) => {
          const about = files.get(file)
          return about ? [{ ...about, step: at + 1, path, mode: mode || FILE_MODE, owner }] : []
        }),
        secrets: planned.handed?.secrets ?? [],
        commands: [...texts].map(([command, some]) => ({ command, hosts: some.map(hostFacts) })),
      }
    },
  })
  kernel.app.route<{ Params: { id: string } }>({
    method: 'POST',
    url: `${runbook.path}:id/run/`,
    config: { access: ['org_member'], summary: 'Runbook: run it', answerStatus: 201, takes: RUN },
    handler: async (request, reply) => {
      const { context, stored, run, planned } = await plan(request)
      await requireSecrets(kernel, request.call, planned.handed, stored.org_id)
      const { id } = await createRow(executions, bodyOf(planned, run), context)
      return reply.status(201).send({ id })
    },
  })
}
