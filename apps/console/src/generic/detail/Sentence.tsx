import { Fragment, type ReactNode } from 'react'
import { Link } from 'react-router'
import { Named as Kept } from '../../design/Named.tsx'
import { languageTag, t } from '../../lib/i18n.ts'

/** Something that a sentence or a list names. */
export interface Named {
  /** Already translated. */
  words: string
  /** Address of the link, when the person may go there. */
  address?: string | undefined
}

interface SentenceProps {
  /** Translated, with its places, such as `{{who}}`, still empty. */
  text: string
  parts: Readonly<Record<string, ReactNode>>
}

/** A translated sentence whose parts are links or other elements, in the order of the language. */
export function Sentence({ text, parts }: SentenceProps) {
  const pieces = text.split(/\{\{(\w+)\}\}/)
  return pieces.map((piece, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one sentence have no other name
    <Fragment key={at}>{at % 2 === 1 ? parts[piece] : piece}</Fragment>
  ))
}

interface NamesInWordsProps {
  things: readonly Named[]
  /** How many are named before the others are counted. */
  most?: number
  /** Said in place of no name. */
  none: string
}

/** "root, deploy and 3 more", each a link. */
export function NamesInWords({ things, most = 3, none }: NamesInWordsProps) {
  if (things.length === 0) return <strong className="nobody">{none}</strong>
  // A single one more is named as well as counted.
  const shown = things.length <= most + 1 ? things : things.slice(0, most)
  const rest = things.length - shown.length
  const list = new Intl.ListFormat(languageTag(), { type: 'conjunction', style: rest > 0 ? 'narrow' : 'long' })
  const places = list.formatToParts(shown.map((_, at) => String(at)))
  return (
    <>
      {places.map(({ type, value }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: separators have nothing else that tells them apart
        <Fragment key={at}>{type === 'element' ? <Name thing={shown[Number(value)] as Named} /> : value}</Fragment>
      ))}
      {rest > 0 && <b>{t(', and {{count}} more', { count: rest })}</b>}
    </>
  )
}

/** One name, as a link where it leads somewhere. */
export function Name({ thing: { words, address } }: { thing: Named }) {
  const shown = words.includes('/') ? <Path of={words} /> : <Kept text={words} />
  const name = <bdi>{shown}</bdi>
  return address ? <Link to={address}>{name}</Link> : <b>{name}</b>
}

/** Breaks where a path does, not inside of its names. */
function Path({ of }: { of: string }) {
  return of.split('/').map((part, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: parts of one path have no other name
    <Fragment key={at}>
      {at > 0 && '/'}
      {at > 0 && <wbr />}
      {part}
    </Fragment>
  ))
}
