import { useSyncExternalStore } from 'react'

/** Below this width there is no room for anything beside the page (A4.11 B9.27). */
const NARROW = '(max-width: 991.98px)'

const follow = (onChange: () => void) => {
  const media = matchMedia(NARROW)
  media.addEventListener('change', onChange)
  return () => media.removeEventListener('change', onChange)
}

/** Whether what is beside the page must slide over it. */
export function useNarrow(): boolean {
  return useSyncExternalStore(follow, () => matchMedia(NARROW).matches)
}
