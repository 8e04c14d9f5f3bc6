/** `Ann(ann)` is known by her name, `web-1(10.0.0.1)` by its own. */
export const nameOf = (text: string) => /^(.+)\([^()]*\)$/.exec(text)?.[1] ?? text
