import { MAX_BYTES, SharedFolder } from '../kinds/desktop/files/shared-folder.ts'

/**
 * Limit of the folders of all desktops of this node together, in bytes: they are on the disk of its
 * recordings.
 */
export const MAX_NODE_BYTES = 8 * MAX_BYTES

const folders = new Set<NodeFolder>()

/** The folder of a session, as far as those of the others leave room. */
export class NodeFolder extends SharedFolder {
  constructor(place: string) {
    super(place)
    folders.add(this)
  }

  override get bytesLeft(): number {
    let held = 0
    for (const one of folders) held += one.#held
    return Math.max(0, Math.min(super.bytesLeft, MAX_NODE_BYTES - held))
  }

  get #held(): number {
    return MAX_BYTES - super.bytesLeft
  }

  override async close(): Promise<void> {
    await super.close()
    folders.delete(this)
  }
}
