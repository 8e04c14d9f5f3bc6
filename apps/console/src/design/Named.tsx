import { partsOf } from '@sallyport/contract/names.ts'
import { Fragment } from 'react'
import { isFromRight } from '../lib/bidi.ts'

/** `Name(more)` as names are on the wire: the name, and what else tells it apart, quieter. */
export function Named({ text }: { text: string }) {
  const { name, detail } = partsOf(text) ?? { name: text, detail: '' }
  return (
    <span className="named">
      {isFromRight(name) ? <bdi>{name}</bdi> : name}
      {detail && detail !== name && (
        <>
          {' '}
          <small>{detail}</small>
        </>
      )}
    </span>
  )
}

/** Several of them, each with what tells it apart. */
export function NamedList({ texts }: { texts: readonly string[] }) {
  return texts.map((text, at) => (
    <Fragment key={text}>
      {at > 0 && ', '}
      <Named text={text} />
    </Fragment>
  ))
}
