/**
 * Empties what a closed server consisted of. Node keeps the module of each test file as long as its
 * worker lives, and with it the file's variables: every server that a worker ever opened would stay
 * in its memory, some 10 MB each, and each collection would walk through all of them.
 */
export function letGo(...parts: object[]) {
  for (const part of parts) for (const key of Object.keys(part)) Reflect.deleteProperty(part, key)
}
