/**
 * The object that local storage has under a key; an empty one where there is none, or where somebody
 * else wrote what is none. Its values are not checked.
 */
export function storedObject<T extends object>(key: string): Partial<T> {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(key) ?? '{}')
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    return {}
  }
}
