import type { Application } from '@sallyport/contract/resources/applications/application.ts'
import {
  type ApplicationCategory,
  applicationType,
} from '@sallyport/contract/resources/applications/application-types.ts'
import { systemUser } from '@sallyport/contract/resources/assets/system-user.ts'
import { applicationPermission } from '@sallyport/contract/resources/perms/application-permission.ts'
import type { NextStep } from '../../generic/view/detail-view.ts'
import { msg } from '../../lib/i18n.ts'
import { listOf } from '../../navigation/routes.ts'
import { DatabaseAccess } from './DatabaseAccess.tsx'

const protocolOf = ({ type }: Application): string => applicationType(type)?.protocol ?? ''

const ACCOUNT: NextStep<Application> = {
  title: msg('Give it an account'),
  lead: msg('As whom people sign in to it, with a password that they never see.'),
  button: msg('Add an account'),
  address: (row) => listOf('SystemUserCreate', { type: 'common', protocol: protocolOf(row) }),
  done: (row) => ({ path: systemUser.path, query: { protocol: protocolOf(row) } }),
}
const ACCESS: NextStep<Application> = {
  title: msg('Let somebody in'),
  lead: msg('A permission says who may connect, as whom, and for how long.'),
  button: msg('Write a permission'),
  address: ({ id, category, type }) => listOf('ApplicationPermissionCreate', { category, type, application: id }),
  done: ({ id }) => ({ path: applicationPermission.path, query: { application_id: id } }),
}
const ACCOUNT_AND_ACCESS: NextStep<Application> = {
  title: msg('Give access'),
  lead: msg('As whom people sign in to it, with a password that they never see, and who may.'),
  form: DatabaseAccess,
  done: ({ id }) => ({ path: applicationPermission.path, query: { application_id: id } }),
}
const QUERY: NextStep<Application> = {
  title: msg('Run a first query'),
  lead: msg('Whoever is let in, you too, opens it in the workbench and sees at once whether it answers.'),
  button: msg('Open the workbench'),
  window: ({ id }) => `/luna/connect?login_to=${encodeURIComponent(id)}&type=database_app&view=workbench`,
}
const OWN_CLIENT: NextStep<Application> = {
  title: msg('Connect with a client of your own'),
  lead: msg('Whoever is let in, you too, gets a line for psql, mysql and the like, or a file for kubectl.'),
  button: msg('Show how to connect'),
  async run({ id, name, type, attrs }) {
    const { connectByClient } = await import('../perms/client/ConnectByClient.tsx')
    const database = (attrs as { database?: string }).database ?? ''
    connectByClient({ family: 'application', id, name, type, database })
  },
}

const STEPS: Readonly<Record<ApplicationCategory, readonly NextStep<Application>[]>> = {
  db: [ACCOUNT_AND_ACCESS, QUERY, OWN_CLIENT],
  cloud: [ACCOUNT, ACCESS, OWN_CLIENT],
  remote_app: [ACCESS],
}

/** The usual next steps for a new application, from its account to the first query. */
export const nextSteps = (category: ApplicationCategory): readonly NextStep<Application>[] => STEPS[category]
