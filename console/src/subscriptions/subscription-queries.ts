import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { api, dataOf, type Schemas } from '../api/client.ts';
import { notify } from '../feedback/notices.tsx';
import { writeFailure } from '../feedback/write-failure.tsx';

export type Subscription = Schemas['Subscription'];
export type Delivery = Schemas['Delivery'];
/** What is written: its target is made from the fields of its kind. */
export type SubscriptionWrite = Schemas['SubscriptionEdit'] & { readonly name?: string };

/** Milliseconds. */
const POLL_INTERVAL_MS = 15_000;
const PENDING_INTERVAL_MS = 1_500;

export const subscriptionsQuery = queryOptions({
  queryKey: ['subscriptions'],
  queryFn: async () => await dataOf(api.GET('/api/v1/subscriptions')),
  refetchInterval: POLL_INTERVAL_MS,
});

export const subscriptionQuery = (id: string) =>
  queryOptions({
    queryKey: ['subscriptions', id],
    queryFn: async () => await dataOf(api.GET('/api/v1/subscriptions/{id}', { params: { path: { id } } })),
    refetchInterval: POLL_INTERVAL_MS,
  });

/** The newest deliveries, read often while one has not been tried. */
export const deliveriesQuery = (id: string) =>
  queryOptions({
    queryKey: ['subscriptions', id, 'deliveries'],
    queryFn: async () => await dataOf(api.GET('/api/v1/subscriptions/{id}/deliveries', { params: { path: { id } } })),
    refetchInterval: ({ state }) =>
      state.data?.items.some(isBeingSent) === true ? PENDING_INTERVAL_MS : POLL_INTERVAL_MS,
  });

/** Whether its first try is not over. */
export function isBeingSent({ state, attempts }: Pick<Delivery, 'state' | 'attempts'>): boolean {
  return state === 'pending' && attempts === 0;
}

/** Creates a subscription, or edits the one with this id. */
export function useSaveSubscription(id: string | undefined) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (body: SubscriptionWrite) =>
      await dataOf(
        id === undefined
          ? api.POST('/api/v1/subscriptions', { body: body as Schemas['SubscriptionCreation'] })
          : api.PATCH('/api/v1/subscriptions/{id}', { params: { path: { id } }, body }),
      ),
    onSettled: async () => await client.invalidateQueries({ queryKey: subscriptionsQuery.queryKey }),
  });
}

/** What is done with a subscription. */
type Action = 'pause' | 'resume' | 'delete';
const DONE: Readonly<Record<Action, string>> = { pause: 'paused', resume: 'resumed', delete: 'deleted' };

/** @param onDeleted called before the page reads the subscription again, which is gone */
export function useActOnSubscription(id: string, onDeleted: () => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (action: Action) => {
      const params = { path: { id } };
      if (action === 'delete') await dataOf(api.DELETE('/api/v1/subscriptions/{id}', { params }));
      else await dataOf(api.PATCH('/api/v1/subscriptions/{id}', { params, body: { enabled: action === 'resume' } }));
    },
    onSuccess: (_, action) => action === 'delete' && onDeleted(),
    onError: (error, action) => notify(writeFailure(error, wordsOf(`the subscription was ${DONE[action]}`))),
    onSettled: async () => await client.invalidateQueries({ queryKey: subscriptionsQuery.queryKey }),
  });
}

/** Sends a test, or a delivery again. @returns what is being sent */
export function useSend(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (delivery: string | undefined) =>
      await dataOf(
        delivery === undefined
          ? api.POST('/api/v1/subscriptions/{id}/test', { params: { path: { id } } })
          : api.POST('/api/v1/subscriptions/{id}/deliveries/{delivery}/resend', { params: { path: { id, delivery } } }),
      ),
    onError: (error) => notify(writeFailure(error, wordsOf('it is being sent'))),
    onSettled: async () => await client.invalidateQueries({ queryKey: subscriptionsQuery.queryKey }),
  });
}

const wordsOf = (done: string) => ({
  rejected: 'The service rejected that',
  done,
  next: 'The page shows the state.',
});
