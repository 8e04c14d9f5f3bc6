import { importAccountsOf2 } from './accounts/accounts-of-2.ts'
import { importAccountsOf3 } from './accounts/accounts-of-3.ts'
import { importSystemUsers } from './accounts/system-users.ts'
import { importApplications } from './assets/applications.ts'
import { importAssets } from './assets/assets.ts'
import { importGatewayAssets } from './assets/gateway-assets.ts'
import { importLabels } from './assets/labels.ts'
import { importGateways, importNetworks } from './assets/networks.ts'
import { importNodes } from './assets/nodes.ts'
import { importPlatforms } from './assets/platforms.ts'
import { readTargets } from './assets/targets-of-3.ts'
import type { ImportContext } from './context.ts'
import { importCommands } from './history/commands.ts'
import { noteLeftBehind } from './history/left-behind.ts'
import { importLogs } from './history/logs.ts'
import { importRecordings } from './history/recordings.ts'
import { importSessions } from './history/sessions.ts'
import { importJobs } from './jobs/jobs.ts'
import { importApiKeys } from './people/api-keys.ts'
import { importGroups } from './people/groups.ts'
import { importMemberships } from './people/memberships.ts'
import { importOrganizations } from './people/organizations.ts'
import { importPasswordHistory } from './people/password-history.ts'
import { importPeople } from './people/people.ts'
import { readRoles } from './people/roles.ts'
import { importPermissionsOf2 } from './permissions/permissions-of-2.ts'
import { importPermissionsOf3 } from './permissions/permissions-of-3.ts'
import { importCommandFiltersOf2 } from './rules/command-filters-of-2.ts'
import { importCommandFiltersOf3 } from './rules/command-filters-of-3.ts'
import { importConnectRules } from './rules/connect-rules.ts'
import { importLoginRules } from './rules/login-rules.ts'
import { importSettings } from './settings/settings.ts'
import { importFlows } from './tickets/flows.ts'
import { importTicketSessions } from './tickets/ticket-sessions.ts'
import { importTickets } from './tickets/tickets.ts'

/** A part of an import that comes as a whole or not at all. */
export interface Stage {
  /** English label for people. */
  label: string
  run(context: ImportContext): Promise<void>
  /** So large that it comes in transactions of its own, and goes on where it has come to. */
  inChunks?: boolean
}

/** In the order in which rows refer to each other. */
export const STAGES: readonly Stage[] = [
  { label: 'Organizations', run: importOrganizations },
  {
    label: 'Users',
    async run(context) {
      const roles = await readRoles(context)
      const came = await importPeople(context, roles)
      await importMemberships(context, roles, came)
      await importGroups(context)
      await importApiKeys(context, came)
      await importPasswordHistory(context, came)
    },
  },
  {
    label: 'Assets',
    async run(context) {
      const targets = context.version.model === 2 ? undefined : await readTargets(context)
      await importPlatforms(context)
      await importNodes(context)
      await importNetworks(context)
      await (targets ? importGatewayAssets(context, targets) : importGateways(context))
      await importAssets(context, targets)
      await importApplications(context, targets)
      await importLabels(context)
    },
  },
  {
    label: 'Accounts, permissions and rules',
    async run(context) {
      if (context.version.model === 2) {
        await importSystemUsers(context)
        await importAccountsOf2(context)
        await importPermissionsOf2(context)
        await importCommandFiltersOf2(context)
      } else {
        const logins = await importAccountsOf3(context, await readTargets(context))
        const nameless = await importPermissionsOf3(context, logins)
        await importCommandFiltersOf3(context, logins, nameless)
      }
      await importLoginRules(context)
      await importConnectRules(context)
    },
  },
  { label: 'Jobs', run: importJobs },
  // Before history, which goes by how long it is kept.
  { label: 'Settings', run: importSettings },
  {
    label: 'Tickets',
    async run(context) {
      await importFlows(context)
      await importTickets(context)
    },
  },
  {
    label: 'Sessions, commands and recordings',
    inChunks: true,
    async run(context) {
      await importSessions(context)
      await importTicketSessions(context)
      await importCommands(context)
      await importRecordings(context)
      await noteLeftBehind(context)
    },
  },
  { label: 'Logs', inChunks: true, run: importLogs },
]
