import type { AssetFiles } from './asset-files.ts'
import type { FileConnections } from './file-connections.ts'
import type { FileRoot, Place } from './file-root.ts'

/**
 * One machine's own paths, for standard tools that were pointed straight at it. Connects at once.
 * Throws SessionRefusal.
 */
export async function openMachineRoot(
  connections: FileConnections,
  assetId: string,
  systemUserId: string,
): Promise<FileRoot> {
  // After a lost connection the next call makes a new one.
  const files = (): Promise<AssetFiles> => connections.to(assetId, systemUserId)
  const first = await files()
  return {
    removesWholeFolders: false,
    locate: async (path): Promise<Place> => ({ kind: 'asset', key: '', path, prefix: '', isTop: false, files }),
    realpath: async (path) => (await files()).realpath(path),
    expandPath: async (path) => (await files()).expandPath(path),
    offers: (extension) => extension === 'expand-path@openssh.com' || first.offers(extension),
  }
}
