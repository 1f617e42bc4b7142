import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useParams } from 'react-router';
import { profilesQuery } from '../../form/catalog-choices.ts';
import { AdminsOnly } from '../../page/admins-only.tsx';
import { PageError } from '../../page/page-error.tsx';
import { PageLoading } from '../../page/page-loading.tsx';
import { usePageTitle } from '../../page/page-title.ts';
import type { Profile } from '../catalog-queries.ts';
import { EntryEditor } from './entry-editor.tsx';
import { MissingEntry } from './missing-entry.tsx';
import { ProfileForm } from './profile-form.tsx';
import { profileFieldsOf, profileKind } from './profile-kind.ts';

/** Creates a profile, or edits the profile in the address. */
export function EditProfilePage() {
  const { name } = useParams();
  usePageTitle(name === undefined ? 'New profile' : 'Edit profile');
  return (
    <AdminsOnly title="Profiles">
      <StoredProfile key={name} name={name} />
    </AdminsOnly>
  );
}

function StoredProfile({ name }: { name: string | undefined }) {
  const profiles = useQuery(profilesQuery);
  if (profiles.error && !profiles.data)
    return <PageError error={profiles.error} what="The profiles" retry={() => void profiles.refetch()} />;
  if (!profiles.data) return <PageLoading what="the profiles" />;
  const profile = profiles.data.find((one) => one.name === name);
  if (name !== undefined && profile === undefined) return <MissingEntry what="profile" name={name} list="profiles" />;
  return (
    <ProfileEditor
      profile={profile}
      profiles={profiles.data}
      reload={async () => await profiles.refetch({ throwOnError: true })}
    />
  );
}

interface ProfileEditorProps {
  readonly profile: Profile | undefined;
  readonly profiles: readonly Profile[];
  readonly reload: () => Promise<unknown>;
}

function ProfileEditor({ profile, profiles, reload }: ProfileEditorProps) {
  const [kind] = useState(() => profileKind(profile));
  return (
    <EntryEditor
      kind={kind}
      opened={profileFieldsOf(profile)}
      present={profile}
      taken={profiles.map(({ name }) => name)}
      reload={reload}
    >
      {(part) => <ProfileForm {...part} hasPractice={profiles.some(({ vendor }) => vendor === 'practice')} />}
    </EntryEditor>
  );
}
