import { Link } from 'react-router'

interface Props {
  title: string
  /** A sentence about what is further there. */
  text: string
  /** The way to each list, and its words. */
  links: readonly { to: string | undefined; words: string }[]
}

/** Below the settings of the first of something: what the others are, and the way to their lists. */
export function FurtherPanel({ title, text, links }: Props) {
  return (
    <section className="panel">
      <h2>{title}</h2>
      <div className="inside">
        {text}
        {links.map(
          ({ to, words }) =>
            to && (
              <span key={to}>
                {' '}
                <Link className="in-text" to={to}>
                  {words}
                </Link>
              </span>
            ),
        )}
      </div>
    </section>
  )
}
