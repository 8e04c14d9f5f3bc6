import { DEFAULT_ORG_ID, ROOT_ORG_ID } from '@sallyport/contract/constants.ts'
import { countFailure } from '../domains/authentication/index.ts'
import { settingsOf } from '../domains/settings/index.ts'
import { registerBuiltinTerminal } from '../domains/terminal/index.ts'
import { findUser } from '../domains/users/index.ts'
import { issueLicense, licenseOf, signingKeyIn } from '../domains/xpack/index.ts'
import type { Kernel } from '../kernel/kernel.ts'
import type { ReadContext } from '../kernel/resource/mount.ts'
import { beginAccountWork, seedAccountWork } from './accounts.ts'
import { seedAgent } from './agent.ts'
import { seedApplications } from './applications.ts'
import { seedClouds } from './clouds.ts'
import { LOCKED } from './company.ts'
import { openRequests, seedGrants, seedRules } from './decisions.ts'
import { seedMachines } from './machines.ts'
import { seedMonitored } from './monitored.ts'
import { type Company, seedPast } from './past.ts'
import { seedPeople, seedSecondOrg } from './people.ts'
import { seedReviews } from './reviews.ts'
import { contextOf, idsBy } from './rows.ts'
import { seedRunbooks } from './runbooks.ts'
import { seedServiceIdentities } from './service-identities.ts'
import { seedWebhooks } from './webhooks.ts'

/** The first administrator at work in the default organization. */
export async function administratorsContext(kernel: Kernel): Promise<ReadContext> {
  const admin = await findUser(kernel.db, { username: 'admin' })
  if (!admin) throw new Error('the demo needs the first administrator')
  return contextOf(kernel, { ...admin, role: 'Admin' }, { id: DEFAULT_ORG_ID, name: 'Default' })
}

/**
 * Fills the installation with a believable company. Every row is looked up first, so that a second
 * run adds nothing. Rows go through the engine like anybody's, with the same rules, references and
 * operate log; machines get random secrets that nobody knows. `port`: where the demo's network
 * listens.
 */
export async function seedCompany(home: ReadContext, port: number): Promise<Company> {
  const { kernel, call } = home
  const people = await seedPeople(home)
  const machines = await seedMachines(home, port)
  await seedGrants(home)
  await seedLicense(home)
  await seedApplications(home)
  await seedAccountWork(home)
  await seedClouds(home)
  await seedRules(home)
  await seedRunbooks(home)
  await seedServiceIdentities(home)
  await seedAgent(home)
  if (call.user) await seedSecondOrg(contextOf(kernel, call.user, { id: ROOT_ORG_ID, name: 'GLOBAL' }))
  const past = await seedPast(kernel, people, machines)
  if (past.length) {
    await openRequests(home, people)
    await seedFailures(kernel)
    await seedMonitored(kernel)
    await seedWebhooks(home, past)
    await beginAccountWork(home)
    await seedReviews(home)
  }
  return { people, machines, systemUsers: await idsBy(home, 'system_user', 'name'), past }
}

/**
 * Installs a valid license where there is none, not even the one for Community, and this service can
 * sign one (A4.06).
 */
async function seedLicense({ kernel, call }: ReadContext): Promise<void> {
  const { dataDirectory, licensePublicKey } = kernel.config
  if (licensePublicKey || licenseOf(kernel).current()) return
  const document = issueLicense(signingKeyIn(dataDirectory), { corporation: 'Harbour Bicycles', days: 365 })
  await licenseOf(kernel).install(document, call)
}

/** Somebody who is locked, and a gateway that has reported once and then fallen silent. */
async function seedFailures(kernel: Kernel): Promise<void> {
  const { username, ip, times } = LOCKED
  for (let n = 0; n < times; n++) await countFailure(kernel.db, settingsOf(kernel), username, ip)
  await registerBuiltinTerminal(kernel, { type: 'koko', name: '[KoKo]-rotterdam', remoteAddress: '10.51.0.5' })
}
