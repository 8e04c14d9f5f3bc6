const MAX = 80

/** `User detail` and `Alice` → `User: Alice`, cut at 80 characters (A2.86 B2.09 B9.13). */
export function detailTitle(routeTitle: string, words: string): string {
  const title = `${kindTitle(routeTitle)}: ${words}`
  return [...title].length > MAX ? `${[...title].slice(0, MAX).join('')}…` : title
}

/** `User detail` → `User`. */
export function kindTitle(routeTitle: string): string {
  return routeTitle.replace(/\s*(?:detail|详情)\s*/i, '')
}

/**
 * The tab to open: address, cookie, first; a name the page does not have is passed over (A2.74).
 */
export function pickTab(names: readonly string[], query: string | null, cookie: string | undefined): string {
  const find = (wanted: string | null | undefined) => names.find((name) => name.toLowerCase() === wanted?.toLowerCase())
  return find(query) ?? find(cookie) ?? names[0] ?? ''
}
