import { accessReview } from '@sallyport/contract/resources/reviews/access-review.ts'
import { refused } from '../../kernel/errors/app-error.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { getStored, presentOne } from '../../kernel/resource/read.ts'
import { type MountedResource, mountedResource } from '../../kernel/resource/registry.ts'
import { contextOf } from '../../kernel/resource/routes.ts'
import { onMembershipEnded } from '../orgs/index.ts'
import { sendReview, workAtReviews } from './carry-on.ts'
import { scheduleReviews } from './clock.ts'
import { registerCoach } from './coach/index.ts'
import { registerReviewDecisions } from './decision.ts'
import { registerReviewRecords } from './record.ts'
import type { StoredReview } from './start.ts'
import { reviewsAccessReview, reviewsReviewer } from './tables.ts'

export { makeReview, makeSuggestions } from './sample.ts'

/** Reviews of access: grants line by line, what people decided about them, and the signed record of it. */
export function registerReviews(kernel: Kernel): void {
  const reviews = mountedResource(kernel, accessReview, reviewsAccessReview)
  registerReviewDecisions(kernel, reviews)
  registerReviewRecords(kernel, reviews)
  registerEnd(kernel, reviews)
  workAtReviews(kernel)
  scheduleReviews(kernel)
  registerCoach(kernel)
  onMembershipEnded({
    label: accessReview.label,
    links: reviewsReviewer,
    person: reviewsReviewer.user,
    thing: reviewsReviewer.review,
    orgId: reviewsAccessReview.org_id,
  })
}

/** POST …/:id/end/: before its time, in the background. */
function registerEnd(kernel: Kernel, reviews: MountedResource<typeof reviewsAccessReview>): void {
  kernel.app.route<{ Params: { id: string } }>({
    method: 'POST',
    url: `${reviews.definition.path}:id/end/`,
    config: {
      access: ['org_admin'],
      summary: `${reviews.definition.label}: end it now`,
      rows: reviews.definition,
    },
    handler: async (request) => {
      const context = contextOf(kernel, request)
      const stored = await kernel.db.transaction(async (db) => {
        const review = (await getStored(reviews, context.parameters.id ?? '', { ...context, db }, true)) as StoredReview
        if (review.state !== 'open') throw refused('review_not_open', 'Nothing can be decided: the review is not open.')
        return sendReview(kernel, db, review, 'ending', request.call)
      })
      return presentOne(reviews, stored, context)
    },
  })
}
