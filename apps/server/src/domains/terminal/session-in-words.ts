import { spoken } from '@sallyport/contract/names.ts'
import type { terminalSession } from './tables.ts'

/** Who was where, for those who read of a session: `Ann (ann) → web-1 (10.0.0.1)`. */
export const sessionInWords = ({ user, asset }: Pick<typeof terminalSession.$inferSelect, 'user' | 'asset'>): string =>
  `${spoken(user)} → ${spoken(asset)}`
