import { application } from '@sallyport/contract/resources/applications/application.ts'
import { applicationType } from '@sallyport/contract/resources/applications/application-types.ts'
import { inArray } from 'drizzle-orm'
import { bareHost } from '../../kernel/bare-host.ts'
import { invalid, licenseRequired } from '../../kernel/errors/app-error.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { WriteContext } from '../../kernel/resource/mount.ts'
import { list } from '../../kernel/resource/query.ts'
import { mountResource } from '../../kernel/resource/routes.ts'
import { licenseOf } from '../xpack/index.ts'
import { shownAttrs } from './shown-attrs.ts'
import { applicationsApplication } from './tables.ts'

type Writing = WriteContext<typeof application, typeof applicationsApplication>

/** Applications of all types (docs/rules/applications.md#application). */
export default function mountApplication(kernel: Kernel): void {
  mountResource(kernel, application, {
    table: applicationsApplication,
    filters: { type__in: (value) => inArray(applicationsApplication.type, list(value).slice(0, 20)) },
    computed: [
      {
        fields: ['attrs'],
        load: async (rows, { db }) => (await shownAttrs(db, rows)).map((attrs) => ({ attrs })),
      },
    ],
    storedInBatches: true,
    rules: { beforeWrite: [keepType, matchCategory, requireLicense, fillPort, bareAddress, askSecretAgain] },
  })
}

/** Permissions, accounts and attributes are by type: one that changes would leave them behind. */
function keepType({ draft, row }: Writing): void {
  if (row && draft.type !== undefined && draft.type !== row.type)
    throw invalid({ type: 'The type of an application cannot be changed' })
}

function matchCategory({ draft, row }: Writing): void {
  const type = draft.type ?? row?.type
  if (applicationType(type)?.category !== (draft.category ?? row?.category))
    throw invalid({ category: 'The type belongs to another category' })
}

/** Applications that exist go on working when a license ends, and may be deleted (notes §1.38). */
function requireLicense({ kernel, draft, row }: Writing): void {
  if (applicationType(draft.type ?? row?.type)?.needsLicense && !licenseOf(kernel).isValid()) throw licenseRequired()
}

/** No port means the usual one of the type. */
function fillPort({ draft, row }: Writing): void {
  const usual = applicationType(draft.type ?? row?.type)?.port
  if (usual && draft.attrs && 'port' in draft.attrs) draft.attrs.port ??= usual
}

function bareAddress({ draft }: Writing): void {
  if (draft.attrs && 'host' in draft.attrs && draft.attrs.host) draft.attrs.host = bareHost(draft.attrs.host)
}

/**
 * A remote app's password is for the program and address that it was entered for: a person who
 * changes those enters it again. Otherwise everybody who may change them would learn it. The
 * trigger `applications_drop_secrets` would drop unsent fields.
 */
function askSecretAgain({ draft, row }: Writing): void {
  const sent = draft.attrs
  if (!row || !sent) return
  const stored = row.attrs
  const secret = Object.keys(stored).find((key) => typeof stored[key] === 'object' && stored[key] !== null)
  if (!secret || Object.hasOwn(sent, secret)) return
  const isChanged = Object.entries(sent).some(([key, value]) => value !== (stored[key] ?? null))
  if (isChanged) throw invalid({ [`attrs.${secret}`]: 'The remote app was changed: enter its password again' })
}
