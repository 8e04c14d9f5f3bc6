import { partsOf } from '@sallyport/contract/names.ts'

/** `Ann(ann)` is known by her name, `web-1(10.0.0.1)` by its own. */
export const nameOf = (text: string) => partsOf(text)?.name ?? text

/** By name alone; those that share one with another of them keep what tells them apart. */
export function namesOf(texts: readonly string[]): string[] {
  const names = texts.map(nameOf)
  return texts.map((text, at) => {
    const name = names[at] ?? text
    return names.indexOf(name) === names.lastIndexOf(name) ? name : text
  })
}
