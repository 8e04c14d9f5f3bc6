import type { RunInputs } from '../../domains/ops/index.ts'
import { requireFreshMfa } from '../../domains/users/index.ts'
import { type Call, isOrgAdmin } from '../../kernel/access/call.ts'
import { forbidden } from '../../kernel/errors/app-error.ts'
import type { Kernel } from '../../kernel/kernel.ts'

/**
 * A person who logs in as the system user of a run can read its secrets on the machine. So runs
 * with secrets are for people who may read them in lists of accounts, too.
 */
export const mayPassSecrets = (call: Call, handed: RunInputs | undefined): boolean =>
  !handed?.secrets.length || isOrgAdmin(call)

export const NO_SECRETS = 'This runbook uses passwords of accounts: administrators of the organization alone run it'

const NO_SECRETS_BY_AGENTS = 'This runbook uses passwords of accounts: agents never run it'

/** Throws as lists of secrets do: 403, or 400 where the second factor was not proven just now. `orgId`: of the runbook. */
export async function requireSecrets(
  kernel: Kernel,
  call: Call,
  handed: RunInputs | undefined,
  orgId: string,
): Promise<void> {
  if (!handed?.secrets.length) return
  // A model that reads them takes them out of the installation.
  if (call.agent) throw forbidden(NO_SECRETS_BY_AGENTS)
  // Roles belong to an organization, and the call may be in another one.
  const there = await kernel.callerNow({ ...call, org: { id: orgId, name: '' } })
  if (!there || !mayPassSecrets(there, handed)) throw forbidden(NO_SECRETS)
  await requireFreshMfa(kernel, call)
}
