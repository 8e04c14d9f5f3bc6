/**
 * Databases, remote apps and clusters of the company, and who may use them. Nothing answers at their
 * addresses.
 */
import { applicationType } from '@sallyport/contract/resources/applications/application-types.ts'
import { licenseOf } from '../domains/xpack/index.ts'
import type { ReadContext } from '../kernel/resource/mount.ts'
import {
  APPLICATION_GRANTS,
  APPLICATION_SYSTEM_USERS,
  APPLICATIONS,
  type ApplicationPlan,
} from './company-applications.ts'
import { ensureAll, idsBy, namesIn, unknownSecret } from './rows.ts'

/** Needs people, groups and machines; types that need a license are left out where there is none. */
export async function seedApplications(context: ReadContext): Promise<void> {
  const isLicensed = licenseOf(context.kernel).isValid()
  const planned = APPLICATIONS.filter(({ type }) => isLicensed || !applicationType(type)?.needsLicense)
  const systemUsers = await ensureAll(
    context,
    'system_user',
    'name',
    APPLICATION_SYSTEM_USERS.map((one) => ({ ...one, ...secretOf(one), auto_push: false })),
  )
  const domains = await idsBy(context, 'domain', 'name')
  const machines = await idsBy(context, 'asset', 'hostname')
  const applications = await ensureAll(
    context,
    'application',
    'name',
    planned.map(({ machine, network, ...one }: ApplicationPlan) => ({
      ...one,
      category: applicationType(one.type)?.category,
      attrs: { ...one.attrs, ...(machine ? { asset: machines.get(machine) } : {}) },
      ...(network ? { domain: domains.get(network) } : {}),
    })),
  )
  const groups = namesIn(await idsBy(context, 'user_group', 'name'))
  const people = namesIn(await idsBy(context, 'user', 'username'))
  const there = new Set(planned.map(({ name }) => name))
  await ensureAll(
    context,
    'application_permission',
    'name',
    APPLICATION_GRANTS.filter((grant) => grant.applications.every((name) => there.has(name))).map((grant) => ({
      name: grant.name,
      type: grant.type,
      category: applicationType(grant.type)?.category,
      user_groups: groups(grant.groups ?? []),
      users: people(grant.people ?? []),
      applications: namesIn(applications)(grant.applications),
      system_users: namesIn(systemUsers)(grant.systemUsers),
      ...(grant.actions ? { actions: grant.actions } : {}),
    })),
  )
}

const secretOf = ({ protocol, login_mode }: Readonly<Record<string, unknown>>) =>
  protocol === 'k8s' ? { token: unknownSecret() } : login_mode === 'auto' ? { password: unknownSecret() } : {}
