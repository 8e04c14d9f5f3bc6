import { DEVICES, platform } from '@sallyport/contract/resources/assets/platform.ts'
import { inArray } from 'drizzle-orm'
import { AppError, invalid } from '../../kernel/errors/app-error.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { DeleteContext, WriteContext } from '../../kernel/resource/mount.ts'
import { mountResource } from '../../kernel/resource/routes.ts'
import { assetsAsset, assetsPlatform } from './tables.ts'

type Writing = WriteContext<typeof platform, typeof assetsPlatform>
type Deleting = DeleteContext<typeof assetsPlatform>

export default function mountPlatform(kernel: Kernel): void {
  mountResource(kernel, platform, {
    table: assetsPlatform,
    rules: { beforeWrite: [refuseInternal, checkMeta], beforeDelete: [keepInternal, keepUsed] },
  })
}

const internalRefusal = () => new AppError(403, 'permission_denied', 'Internal platform')

/** Connectors rely on the built-in platforms. */
function refuseInternal({ row }: Writing): void {
  if (row?.internal) throw internalRefusal()
}

function keepInternal({ rows }: Deleting): void {
  if (rows.some((row) => row.internal)) throw internalRefusal()
}

/** The foreign key refuses it too, but without a message for people. */
async function keepUsed({ db, rows }: Deleting): Promise<void> {
  const names = rows.map((row) => row.name)
  const [used] = await db
    .select({ id: assetsAsset.id })
    .from(assetsAsset)
    .where(inArray(assetsAsset.platform, names))
    .limit(1)
  if (used) throw new AppError(400, 'referenced_by_others', 'This object is referenced by other objects')
}

const SECURITY = new Set(['rdp', 'nla', 'tls', 'any'])

/**
 * Checks what components for RDP read (docs/rules/assets.md#platform), and what a prompt is read
 * by.
 */
function checkMeta({ draft, row }: Writing): void {
  const { security, console: rdpConsole, device } = draft.meta ?? {}
  if (security !== undefined && !SECURITY.has(String(security)))
    throw invalid({ 'meta.security': 'Must be rdp, nla, tls or any.' })
  if (rdpConsole !== undefined && !['true', 'false'].includes(String(rdpConsole)))
    throw invalid({ 'meta.console': 'Must be a valid boolean.' })
  if (device !== undefined && !Object.hasOwn(DEVICES, String(device)))
    throw invalid({ 'meta.device': 'Must be cisco, huawei or h3c.' })
  const after = { ...row, ...draft }
  if (after.meta?.device !== undefined && after.base !== 'Other')
    throw invalid({ 'meta.device': 'Only platforms whose base is Other are network equipment' })
}
