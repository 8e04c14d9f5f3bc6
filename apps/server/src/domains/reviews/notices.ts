import { sql } from 'drizzle-orm'
import type { Kernel } from '../../kernel/kernel.ts'
import { notify } from '../notifications/index.ts'
import type { StoredReview } from './start.ts'
import { askedPeople } from './visibility.ts'

const DAY_MS = 86_400_000

const pageOf = (id: string) => `/ui/reviews/${id}`

/** Whole days until a review ends, begun ones included. */
export const daysLeft = ({ date_end }: Pick<StoredReview, 'date_end'>, now = new Date()): number =>
  Math.max(0, Math.ceil((date_end.getTime() - now.getTime()) / DAY_MS))

/**
 * Tells everybody who is asked that a review has begun, or that it ends soon, with the number of their
 * grants; not who has just begun it by hand.
 */
export async function tellAsked(
  kernel: Kernel,
  review: StoredReview,
  what: 'begun' | 'reminder',
  beginner?: string,
): Promise<void> {
  const { rows } = await kernel.db.execute<{ user_id: string; lines: number }>(askedPeople(review.id))
  const receivers = rows.filter(({ user_id }) => user_id !== beginner)
  for (const [count, people] of Map.groupBy(receivers, ({ lines }) => lines)) {
    const values = { name: review.name, count, days: daysLeft(review) }
    await notify(
      kernel,
      people.map(({ user_id }) => user_id),
      (say) => ({
        subject:
          what === 'begun'
            ? say('You are asked to review access: {{name}}', values)
            : say('Access review {{name}}: {{days|day|days}} left', values),
        paragraphs: [
          say(
            '{{count|grant waits|grants wait}} for your decision. Confirm what is still needed, and withdraw the rest.',
            values,
          ),
          say('The review ends in {{days|day|days}}.', values),
          review.undecided === 'withdraw'
            ? say('Grants without a decision are withdrawn then.')
            : say('Grants without a decision stay, and are reported.'),
        ],
        link: { text: say('Open the review'), path: pageOf(review.id) },
      }),
    )
  }
}

/** Tells the administrators of the organization, and who set the review up, what it came to. */
export async function tellEnded(kernel: Kernel, review: StoredReview): Promise<void> {
  const { rows } = await kernel.db.execute<{ confirmed: number; withdrawn: number; left: number }>(sql`
    SELECT count(*) FILTER (WHERE verdict = 'confirmed')::int AS confirmed,
      count(*) FILTER (WHERE verdict IN ('withdrawn', 'gone'))::int AS withdrawn,
      count(*) FILTER (WHERE verdict IN ('kept', 'lapsed'))::int AS left
    FROM reviews_line WHERE review = ${review.id}::uuid`)
  const { rows: people } = await kernel.db.execute<{ user_id: string }>(sql`
    SELECT m.user_id FROM orgs_membership m WHERE m.org_id = ${review.org_id}::uuid AND m.role = 'Admin'
    UNION SELECT ${review.author.id ?? null}::uuid WHERE ${review.author.id ?? null}::uuid IS NOT NULL`)
  const values = { name: review.name, ...rows[0] }
  await notify(
    kernel,
    people.map(({ user_id }) => user_id),
    (say) => ({
      subject: say('Access review {{name}} has ended', values),
      paragraphs: [
        say('Confirmed: {{confirmed}}. Withdrawn: {{withdrawn}}. Without a decision: {{left}}.', values),
        say('Its signed record is on its page.'),
      ],
      link: { text: say('Open the review'), path: pageOf(review.id) },
    }),
  )
}
