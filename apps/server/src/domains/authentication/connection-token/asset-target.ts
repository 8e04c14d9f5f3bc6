import { eq } from 'drizzle-orm'
import { assetsListedAsset } from '../../assets/index.ts'
import type { TargetGateway } from '../../assets/networks/index.ts'
import { loadAssetTarget } from '../../system-users/index.ts'
import type { TargetKind } from './target-kind.ts'

const FAMILY = 'asset'

/** Assets, reached through a gateway of their domain where it has one. */
export const assetTarget: TargetKind = {
  family: FAMILY,
  async find(db, id) {
    const [asset] = await db
      .select({
        id: assetsListedAsset.id,
        name: assetsListedAsset.hostname,
        orgId: assetsListedAsset.org_id,
        isActive: assetsListedAsset.is_active,
      })
      .from(assetsListedAsset)
      .where(eq(assetsListedAsset.id, id))
    return asset && { family: FAMILY, ...asset }
  },
  wire: ({ id, name }) => ({ asset: id, hostname: name }),
  async secrets(kernel, { userId, username, systemUserId, id }, open) {
    const target = await loadAssetTarget(kernel, { assetId: id, systemUserId, userId, username }, open)
    if (!target) return undefined
    const { asset, credentials, gateways } = target
    const [gateway] = gateways
    const { hostname, ip, protocols, org_id } = asset
    return {
      systemUser: {
        username: credentials.username,
        password: credentials.password,
        private_key: credentials.privateKey,
      },
      parts: { asset: { id, hostname, ip, protocols, org_id }, ...(gateway ? { gateway: gatewayOf(gateway) } : {}) },
    }
  },
}

/** A gateway as components read it. */
export function gatewayOf({ id, host, port, username, password, privateKey }: TargetGateway) {
  return { id, ip: host, port, username, password, private_key: privateKey }
}
