import { grantedApplication } from '@sallyport/contract/resources/perms/granted-application.ts'
import { grantedAsset } from '@sallyport/contract/resources/perms/granted-asset.ts'
import type { Command } from '../command.ts'
import { table } from '../table.ts'

export const ls: Command = {
  does: 'list the machines that you may use, or the databases',
  usage: '[WORD …] [--databases]',
  options: {
    databases: { type: 'boolean', short: 'd', does: 'databases, clusters and remote apps' },
  },
  async run(context, { values, words }) {
    const { say } = context
    const search = words.join(' ')
    const client = context.client()
    if (values.databases) {
      const rows = await Array.fromAsync(client.resource(grantedApplication).list({ search }))
      context.answer(rows, () =>
        table([
          [say('NAME'), say('TYPE'), say('ORGANIZATION'), say('COMMENT')],
          ...rows.map(({ name, type_display, org_name, comment }) => [name, type_display, org_name, comment ?? '']),
        ]),
      )
      return undefined
    }
    const rows = await Array.fromAsync(client.resource(grantedAsset).list({ search }))
    context.answer(rows, () =>
      table([
        [say('NAME'), say('ADDRESS'), say('PROTOCOLS'), say('ORGANIZATION'), say('COMMENT')],
        ...rows.map(({ hostname, ip, protocols, org_name, comment }) => [
          hostname,
          ip,
          protocols.join(' '),
          org_name,
          (comment ?? '').split('\n')[0] ?? '',
        ]),
      ]),
    )
    return undefined
  },
}
