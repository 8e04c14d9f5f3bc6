import type { FastifyRequest } from 'fastify'
import { translate } from '../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { plainFields } from '../../../kernel/resource/plain-fields.ts'
import { rowInOrg } from '../../../kernel/resource/row-in-org.ts'
import { Slots } from '../../../kernel/slots.ts'
import type { Cloud } from '../providers/cloud.ts'
import { CloudError } from '../providers/cloud-error.ts'
import { cloudAccount } from '../tables.ts'
import { cloudFaultInWords } from './fault-words.ts'
import { withCloud } from './open-account.ts'

/** A person waits for the answer. */
const SHORTLY = { tries: 2, firstPauseMs: 500 }
const atOnce = new Slots(4)

/** Whether an account's keys work, and which regions it has (docs/rules/xpack.md#cloud_account). */
export function registerAccountCalls(kernel: Kernel): void {
  const { app, db } = kernel
  const config = { access: ['org_admin'], needsLicense: true, changesOnGet: true } as const
  const asking = async <T>({ call, log }: FastifyRequest, id: string, work: (cloud: Cloud) => Promise<T>) => {
    const account = await rowInOrg(db, call, cloudAccount, id)
    try {
      return { answer: await atOnce.use(() => withCloud(kernel, account, SHORTLY, work)) }
    } catch (error) {
      if (!(error instanceof CloudError)) throw error
      log.info({ err: error, account: id }, 'a cloud account failed')
      return { refusal: { msg: cloudFaultInWords(error, call.language), error: 'cloud_unavailable' } }
    }
  }
  app.route<{ Params: { id: string } }>({
    method: 'GET',
    url: '/api/v1/xpack/cloud/accounts/:id/test-connective/',
    config: {
      ...config,
      summary: 'Cloud account: whether its keys work',
      answers: { fields: plainFields({ msg: 'string' }) },
    },
    handler: async (request, reply) => {
      const { refusal } = await asking(request, request.params.id, (cloud) => cloud.regions())
      if (refusal) return reply.status(400).send(refusal)
      return { msg: translate(request.call.language, 'The cloud takes these keys') }
    },
  })
  app.route<{ Querystring: { account_id?: string } }>({
    method: 'GET',
    url: '/api/v1/xpack/cloud/regions/',
    config: {
      ...config,
      summary: 'Regions of a cloud account',
      rows: { fields: plainFields({ id: 'string', name: 'string' }) },
      answers: { fields: plainFields({ regions: 'list', count: 'integer', next: 'string' }) },
    },
    handler: async (request, reply) => {
      const id = [request.query.account_id].flat()[0]
      if (!id) return { regions: [], count: 0, next: null }
      const { answer, refusal } = await asking(request, id, (cloud) => cloud.regions())
      if (!answer) return reply.status(400).send(refusal)
      const regions = answer.toSorted((one, other) => (one.name < other.name ? -1 : 1))
      return { regions, count: regions.length, next: null }
    },
  })
}
