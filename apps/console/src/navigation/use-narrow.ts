import { useMedia } from '../lib/hooks/use-media.ts'

/** Below this width there is no room for anything beside the page (A4.11 B9.27). */
const NARROW = '(max-width: 991.98px)'

/** Whether what is beside the page must slide over it. */
export const useNarrow = (): boolean => useMedia(NARROW)
