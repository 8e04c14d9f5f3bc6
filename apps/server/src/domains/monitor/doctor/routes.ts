import { ROOT_ORG_ID } from '@sallyport/contract/constants.ts'
import { DOCTOR_PATH, type Health, type NodeHealth } from '@sallyport/contract/resources/monitor/doctor.ts'
import type { FastifyRequest } from 'fastify'
import type { Check } from '../../../kernel/doctor/check.ts'
import { type StartSetting, supportArchive } from '../../../kernel/doctor/support-archive.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { lastLines } from '../../../kernel/log-tail.ts'
import { isPassedOn } from '../../../kernel/nodes/link-listener.ts'
import type { Node } from '../../../kernel/nodes/nodes.ts'
import { once } from '../../../kernel/once.ts'
import { plainFields } from '../../../kernel/resource/plain-fields.ts'
import { createOwnRun } from './own-run.ts'
import { placeOfServer } from './server-place.ts'

const HEALTH = { label: 'Health check', fields: plainFields({ nodes: 'list' }) }

/**
 * The health check, for super administrators alone. Every node answers for all of them; without a
 * license, too: it is needed most when something is wrong.
 * @param load the checks: their code is loaded by the first run
 * @param startSettings every setting that was read at start
 */
export function registerDoctor(
  kernel: Kernel,
  load: () => Promise<readonly Check[]>,
  startSettings: readonly StartSetting[],
): void {
  const { app } = kernel
  const own = createOwnRun(kernel, once(load))
  /** The same call at the other nodes; another node gets this one's answer alone. */
  const everywhere = async (request: FastifyRequest): Promise<NodeHealth | Health> => {
    const here = own.shown(request.call)
    return isPassedOn(request.raw) ? here : { nodes: [here, ...(await elsewhere(kernel, request))] }
  }
  app.route({
    method: 'GET',
    url: DOCTOR_PATH,
    config: { access: ['super_admin'], summary: 'Health check: findings of each node', rows: HEALTH, answers: 'row' },
    handler: everywhere,
  })
  app.route({
    method: 'POST',
    url: `${DOCTOR_PATH}run/`,
    config: { access: ['super_admin'], summary: 'Health check: run it on each node', rows: HEALTH },
    handler: async (request) => {
      await own.begin()
      return everywhere(request)
    },
  })
  app.route({
    method: 'GET',
    url: `${DOCTOR_PATH}archive/`,
    config: { access: ['super_admin'], summary: 'Health check: support archive, without secrets', answers: 'file' },
    handler: async (request, reply) => {
      if (isPassedOn(request.raw)) return own.shown(request.call)
      await own.ended()
      const { nodes } = (await everywhere(request)) as Health
      const name = `sallyport-support-${new Date().toISOString().slice(0, 19).replaceAll(':', '')}.zip`
      const archive = await supportArchive({
        place: placeOfServer(kernel),
        findings: Object.fromEntries(nodes.map((node) => [node.name, node.findings])),
        startSettings,
        log: lastLines(),
      })
      await kernel.audit.record(kernel.db, request.call, [
        { action: 'download', resourceType: 'Support archive', resource: name, orgId: ROOT_ORG_ID },
      ])
      return reply.header('content-disposition', `attachment; filename="${name}"`).type('application/zip').send(archive)
    },
  })
}

/** Findings of the other nodes; a node that does not answer is a finding, too. */
async function elsewhere({ nodes, link }: Kernel, request: FastifyRequest): Promise<NodeHealth[]> {
  const others = (await nodes.running()).filter(({ id }) => id !== nodes.id)
  // A body is not passed on, so neither is its length.
  const headers: Record<string, string> = request.method === 'POST' ? { 'content-length': '0' } : {}
  return Promise.all(
    others.map((node) =>
      link.ask(node, request, headers).then(
        (answer) => answer as NodeHealth,
        (error) => {
          request.log.warn({ err: error, node: node.name }, 'node could not be asked for its health')
          return unreachable(node)
        },
      ),
    ),
  )
}

const unreachable = ({ id, name }: Node): NodeHealth => ({
  ...{ id, name, state: 'unreachable', date_started: null, date_finished: null },
  ...{ total: 0, done: 0, findings: [] },
})
