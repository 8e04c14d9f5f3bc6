import {
  APPLICATION_ATTRS,
  type ApplicationType,
  applicationType,
} from '@sallyport/contract/resources/applications/application-types.ts'
import { forbidden } from '../../kernel/errors/app-error.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { rowInOrg } from '../../kernel/resource/row-in-org.ts'
import { type SealedInJson, sealedBytes } from '../../kernel/secrets/sealed-json.ts'
import type { Opener } from '../../kernel/secrets/vault.ts'
import { applicationsApplication } from './tables.ts'

/** What starts published programs on Windows application servers, by its published name. */
const LAUNCHER = '||jmservisor'

type Stored = Pick<typeof applicationsApplication.$inferSelect, 'type' | 'attrs'>

/** How a remote app is started; it has the app's own password in clear. */
export interface RemoteAppStart {
  program: string
  working_directory: string
  parameters: string
}

/**
 * How a remote app is started (docs/rules/applications.md#connection_info): the type, then every
 * attribute that has a value, without the machine, in the order of its fields.
 */
export function remoteAppStart({ type, attrs }: Stored, open: Opener): RemoteAppStart {
  const values = Object.keys(APPLICATION_ATTRS[type as ApplicationType])
    .filter((name) => !name.startsWith('asset'))
    .flatMap((name) => {
      const value = attrs[name]
      if (value === undefined || value === null || value === '') return []
      const text = typeof value === 'object' ? open(sealedBytes(value as SealedInJson)) : String(value)
      return [name === 'path' ? `"${text}"` : text]
    })
  return { program: LAUNCHER, working_directory: '', parameters: [type, ...values].join(' ') }
}

/** For components, which open a remote app on its machine. */
export function registerConnectionInfo(kernel: Kernel): void {
  kernel.app.route({
    method: 'GET',
    url: '/api/v1/applications/remote-apps/:id/connection-info/',
    config: { access: ['component'], summary: 'Remote app: how a component starts it' },
    handler: async (request) => {
      const row = await rowInOrg(
        kernel.db,
        request.call,
        applicationsApplication,
        (request.params as { id: string }).id,
      )
      if (applicationType(row.type)?.category !== 'remote_app') throw forbidden()
      const { id, name, org_id, attrs } = row
      const open = await kernel.secrets.handOut(kernel.db, request.call, 'component', 'start of a remote app', [
        { kind: 'application', id, name, orgId: org_id },
      ])
      return { id, name, asset: attrs.asset ?? null, parameter_remote_app: remoteAppStart(row, open) }
    },
  })
}
