import { APPLICATION_TYPES, typesOf } from '@sallyport/contract/resources/applications/application-types.ts'
import type { Target } from '@sallyport/contract/target.ts'
import { type ApplicationTarget, loadApplicationTarget } from '../../domains/applications/index.ts'
import { findGrantedApplications } from '../../domains/perms/index.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { Opener } from '../../kernel/secrets/vault.ts'
import { assetFamily } from './asset-family.ts'
import { isConnectable } from './connectable.ts'
import type { ConnectionTarget } from './connection-target.ts'
import type { GrantedList } from './granted-list.ts'

const FAMILY = 'application'

const applicationTarget = (id: string): Target => ({ family: FAMILY, id })

/** Databases and clusters, and remote apps, which are desktops of the machines that they run on. */
export const applicationFamily = {
  family: FAMILY,
  load,
  lists: {
    database: granted('db', ['Name', 'IP', 'DB type', 'DB name']),
    kubernetes: granted('cloud', ['Name', 'Cluster']),
  },
} as const

async function load(
  kernel: Kernel,
  { id, ...question }: { id: string; systemUserId: string; userId: string | undefined; username: string },
  open: Opener,
): Promise<ConnectionTarget | undefined> {
  const found = await loadApplicationTarget(kernel, { applicationId: id, ...question }, open)
  return found?.application.category === 'remote_app'
    ? remoteAppTarget(kernel, found, question, open)
    : found && connectionTargetOf(found)
}

/**
 * A remote app: its machine, signed in to as that machine would be, of which the session has the one
 * program. Undefined when the machine is gone.
 */
async function remoteAppTarget(
  kernel: Kernel,
  { application, remoteProgram }: ApplicationTarget,
  question: { systemUserId: string; userId: string | undefined; username: string },
  open: Opener,
): Promise<ConnectionTarget | undefined> {
  const machine = remoteProgram && (await assetFamily.load(kernel, { ...question, id: remoteProgram.asset }, open))
  if (!machine || machine.orgId !== application.org_id) return undefined
  const { target, name } = machine
  return {
    ...machine,
    ...{ target: applicationTarget(application.id), machine: target.id },
    ...{ name: application.name, detail: name, application, remoteProgram },
  }
}

/** An application as sessions take it. */
export function connectionTargetOf(found: ApplicationTarget): ConnectionTarget {
  const { application, host, port, remoteApp: _, remoteProgram: __, ...login } = found
  return {
    target: applicationTarget(application.id),
    orgId: application.org_id,
    domain: application.domain,
    name: application.name,
    address: host,
    protocols: port ? [`${application.type}/${port}`] : [],
    charset: 'utf-8',
    application,
    ...login,
  }
}

/** Those of a category that can be connected to from here. */
function granted(category: 'db' | 'cloud', columns: readonly string[]): GrantedList {
  const types = (kind = 'terminal') => typesOf(category).filter((type) => isConnectable(type, kind))
  return {
    columns,
    isOffered: (kind) => types(kind).length > 0,
    async find(kernel, question) {
      const { total, applications } = await findGrantedApplications(kernel.db, {
        ...question,
        types: types(question.kind),
      })
      return {
        total,
        targets: applications.map(({ id, name, type, attrs, comment }) => ({
          target: applicationTarget(id),
          name,
          isActive: true,
          cells:
            category === 'db'
              ? [name, text(attrs.host), APPLICATION_TYPES[type].label, text(attrs.database)]
              : [name, text(attrs.cluster)],
          comment,
        })),
      }
    },
  }
}

const text = (value: unknown): string => String(value ?? '')
