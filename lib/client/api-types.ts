/** Made of openapi.json by `npm run generate`: what openapi-fetch and other clients know of the API. */

export interface paths {
    "/api/v1/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check that the service works
         * @description Answers 200 also where a check has failed: `status` says so, and each check says what to do.
         */
        get: operations["readHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/environment": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read what the service runs on and with
         * @description As cheap with a million jobs as with none: from what workers told last, and from counters.
         */
        get: operations["readEnvironment"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read figures of jobs, projects and tokens
         * @description From counters, which may lag writes by a second and never drift. A job counts with its last end: one that is retried is not ended any more.
         */
        get: operations["readStats"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List jobs
         * @description The newest first unless `order` says otherwise. Filters are combined. Counts may lag writes by a second; they never drift.
         */
        get: operations["listJobs"];
        put?: never;
        /**
         * Create a job
         * @description The job is queued for a worker, or kept as a draft. A 201 is a promise: the job is stored and will not be lost.
         */
        post: operations["createJobs"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a job
         * @description All fields, with the texts that the job was created with.
         */
        get: operations["readJobs"];
        /**
         * Edit a queued job, sending it back as read
         * @description Only while the job is QUEUED. What is absent or null stays as it is.
         */
        put: operations["replaceJobs"];
        post?: never;
        /**
         * Cancel a job
         * @description The same as the action cancel. The job and its output can still be read.
         */
        delete: operations["deleteJobs"];
        options?: never;
        head?: never;
        /**
         * Edit a queued job
         * @description Only while the job is QUEUED. What is absent or null stays as it is.
         */
        patch: operations["editJobs"];
        trace?: never;
    };
    "/api/v1/jobs/{id}/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a job's lifecycle status
         * @description With `wait` the answer comes when the state changes, or after that many seconds.
         */
        get: operations["statusJobs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs/{id}/draft": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Edit a draft
         * @description Only while the job is DRAFT. Each field is validated as on creation; the project can change too. What is absent or null stays as it is.
         */
        patch: operations["editDraftJobs"];
        trace?: never;
    };
    "/api/v1/jobs/{id}/submit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Queue a draft
         * @description A worker takes the job from then on. Only while the job is DRAFT.
         */
        post: operations["submitJobs"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a job
         * @description A running job is CANCELLED once its processes have ended: the agent is asked, and killed after 10 seconds. Nothing follows from it, even if the agent ends successfully first.
         */
        post: operations["cancelJobs"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs/{id}/kill": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Kill a running job
         * @description Its processes are ended without being asked first. The job is CANCELLED even if it ends successfully before that.
         */
        post: operations["killJobs"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs/{id}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Run an ended job again
         * @description The same job gets another attempt; earlier attempts and their output stay.
         */
        post: operations["retryJobs"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs/{id}/reread-logs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rebuild the record of a job from its stored output
         * @description Sizes, hashes, usage, session and messages of every attempt are worked out anew; follow-up jobs that are missing are made. An attempt that is running is left alone. A second time changes nothing.
         */
        post: operations["rereadLogsJobs"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs/{id}/{action}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Any other action
         * @description There is no such action: refused.
         */
        post: operations["refuseActionJobs"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs/{id}/result": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a job's result with its output
         * @description Can be read while the job runs: then it brings what there is. `attempt` reads the result of an earlier attempt, whose `status` and `state_reason` are what that attempt came to; a retry hides no earlier result.
         */
        get: operations["resultJobs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs/{id}/logs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a job's output
         * @description The same address works while the job runs and ever after; `follow=1` brings the output as it is written.
         */
        get: operations["logsJobs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/deploy-bindings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List deploy bindings
         * @description All of them, or those of one project. No answer shows the secret of a binding.
         */
        get: operations["listDeployBindings"];
        put?: never;
        /**
         * Create or update a deploy binding
         * @description What is done when a job of the project succeeds. A binding is known by project and name; of one that is there, what is absent or null stays as it is. One without all that its mode needs is kept and does nothing.
         */
        post: operations["writeDeployBindings"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/deploy-bindings/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a deploy binding
         * @description What it still had to do is skipped; what it did stays with the jobs.
         */
        delete: operations["deleteDeployBindings"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs/{id}/deployments/{binding}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Retry a deployment
         * @description Also the first time, for a binding that was created after the job ended.
         */
        post: operations["retryDeployments"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/codex-account": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read whether the vendor account is linked, and where its login stands
         * @description While `state` is `awaiting_user` a person opens `verification_uri` and enters `user_code` there. A deployment that does not list the vendor answers 404.
         */
        get: operations["readCodexAccount"];
        put?: never;
        post?: never;
        /**
         * Unlink the vendor account
         * @description No attempt gets the login from then on; the next worker revokes it at the vendor and removes it. A login that is under way is cancelled.
         */
        delete: operations["logoutCodexAccount"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/codex-account/start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start a device login
         * @description A worker runs it. While one is under way the answer is the running one.
         */
        post: operations["startCodexAccount"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/codex-account/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel the login that is under way
         * @description The code that was shown counts no more. Only while a login is under way.
         */
        post: operations["cancelCodexAccount"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List projects with the counts of their jobs
         * @description Counts may lag writes by a second; they never drift.
         */
        get: operations["listProjects"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/rules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List rules
         * @description Rules that were imported; jobs ask for them by id.
         */
        get: operations["listRules"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/profiles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List profiles
         * @description Profiles that are built in and those that were imported; jobs ask for them by name.
         */
        get: operations["listProfiles"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/rules/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a rule
         * @description Rules are read when a job starts: one that asks for it and has not started by then fails with `start_failed`. What runs already is not touched.
         */
        delete: operations["deleteRules"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/profiles/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove an imported profile
         * @description What is built in under its name holds again; what is built in itself, and the default profile, can not be removed. A profile is read when a job starts: one that names it and has not started by then fails with `start_failed`. What runs already is not touched.
         */
        delete: operations["deleteProfiles"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/config/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Import rules and profiles
         * @description The document is taken as a whole or changes nothing: then `details.faults` names all its faults. What it does not name stays.
         */
        post: operations["importConfig"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/config/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export what was imported
         * @description All imported rules and profiles, as a document that imports as unchanged. Secrets are in it by name only.
         */
        get: operations["exportConfig"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs/{id}/attachments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the files that a job left
         * @description What an attempt has put into the folder `$PROMPTQ_ATTACHMENTS` is kept when it ends, however it ends: at most 10000 files, 1073741824 bytes each, 5368709120 bytes in all. What was not kept stands in the job's `warnings`. Files are kept byte for byte: secrets are not masked in them.
         */
        get: operations["listAttachments"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs/{id}/attachments/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download a file that a job left
         * @description Always a download, never shown in a browser.
         */
        get: operations["readAttachments"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete an empty project
         * @description Only while it has no jobs and no deploy bindings. Statistics keep what its jobs used. A job that names the project creates it again.
         */
        delete: operations["deleteProjects"];
        options?: never;
        head?: never;
        /**
         * Set how the jobs of a project work
         * @description What is absent or null stays as it is. Jobs that run already are not touched.
         */
        patch: operations["editProjects"];
        trace?: never;
    };
    "/api/v1/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read this document
         * @description With the unit of `timeout` that this deployment has.
         */
        get: operations["readOpenapi"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/audit-logs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read who did what, newest first
         * @description Sign-ins, changes of tokens, configuration, account, bindings and projects, and actions on jobs, of the last 90 days. Creating a job is not among them: the job itself says who created it.
         */
        get: operations["listAuditLogs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Find out who calls
         * @description For every kind of caller: who the service takes it for and what it may do.
         */
        get: operations["readSession"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the browser sessions of everybody
         * @description Newest first; those that are over are not shown.
         */
        get: operations["listSessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * End a browser session at once
         * @description The next request of that browser is refused with 401.
         */
        delete: operations["endSessions"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the API tokens
         * @description Newest first; revoked ones too. No answer shows a token itself.
         */
        get: operations["listTokens"];
        put?: never;
        /**
         * Create an API token
         * @description The answer is the only one that shows the token itself.
         */
        post: operations["createTokens"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tokens/{id}/suspend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Refuse a token until it is resumed
         * @description A suspended token is refused with 401. A revoked one stays revoked.
         */
        post: operations["suspendTokens"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tokens/{id}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Accept a suspended token again
         * @description The token has the scopes that it had. A revoked one stays revoked.
         */
        post: operations["resumeTokens"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tokens/{id}/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Refuse a token for ever
         * @description A revoked token stays in the list, and nothing makes it valid again.
         */
        post: operations["revokeTokens"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        JobCreation: {
            /**
             * @description The prompt: more than whitespace. Required unless `base_prompt` is given.
             * @example Say hello.
             */
            prompt?: string | null;
            /** @description Another name of `prompt`; if both are given they must be equal. */
            base_prompt?: string | null;
            /** @description Added after the prompt. */
            extra_prompt?: string | null;
            /** @description Rules whose texts go before the prompt, in this order. */
            rule_ids?: string[] | null;
            /** @description Name of an execution profile; default: the deployment's. */
            profile?: string | null;
            /** @description Overrides the profile's model. */
            model?: string | null;
            /**
             * Format: int64
             * @description Higher runs earlier. Default 0.
             * @example 0
             */
            priority?: number | null;
            /** @description Per attempt, in the deployment's unit: `info.x-timeout-unit` of this document says which. */
            timeout?: number | null;
            /** @description How many more attempts a failure gets. Default 0. */
            retries?: number | null;
            /**
             * @description What lists show instead of the prompt. Empty: none. Compared and kept in Unicode form NFC; no control, bidirectional or invisible characters.
             * @example Greeting
             */
            title?: string | null;
            /** @description Words to find the job by; repeated ones count once. An empty list: none. */
            tags?: string[] | null;
            /** @description Working folder, created if missing. Relative: below the workspace of the project; absolute: below an allowed root. A project's own folder and the private folder of another job are refused. Default: a private folder. No control, bidirectional or invisible characters. */
            cwd?: string | null;
            /** @description Id or name; an unknown project is created. Default `local_project`. Compared and kept in Unicode form NFC; no control, bidirectional or invisible characters. */
            project_id?: string | null;
            /** @description Another way to give `project_id`. */
            project?: string | null;
            /** @description Id of the job that this one was made from, such as with "Run again with changes". It must exist. */
            copied_from?: string | null;
            /** @description One key, one job: a repeat answers with the id of the job that is there. */
            idempotency_key?: string | null;
            /** @description Store the job as a draft that no worker takes. */
            save_draft?: boolean | null;
            /** @description Another name of `save_draft`; either being true makes a draft. */
            draft?: boolean | null;
        } & (unknown | unknown);
        JobEdit: {
            /**
             * @description The prompt: more than whitespace. Required unless `base_prompt` is given.
             * @example Say hello.
             */
            prompt?: string | null;
            /** @description Another name of `prompt`; if both are given they must be equal. */
            base_prompt?: string | null;
            /** @description Added after the prompt. */
            extra_prompt?: string | null;
            /** @description Rules whose texts go before the prompt, in this order. */
            rule_ids?: string[] | null;
            /** @description Name of an execution profile; default: the deployment's. */
            profile?: string | null;
            /** @description Overrides the profile's model. */
            model?: string | null;
            /**
             * Format: int64
             * @description Higher runs earlier. Default 0.
             * @example 0
             */
            priority?: number | null;
            /** @description Per attempt, in the deployment's unit: `info.x-timeout-unit` of this document says which. */
            timeout?: number | null;
            /** @description How many more attempts a failure gets. Default 0. */
            retries?: number | null;
            /**
             * @description What lists show instead of the prompt. Empty: none. Compared and kept in Unicode form NFC; no control, bidirectional or invisible characters.
             * @example Greeting
             */
            title?: string | null;
            /** @description Words to find the job by; repeated ones count once. An empty list: none. */
            tags?: string[] | null;
            /** @description Working folder, created if missing. Relative: below the workspace of the project; absolute: below an allowed root. A project's own folder and the private folder of another job are refused. Default: a private folder. No control, bidirectional or invisible characters. */
            cwd?: string | null;
        };
        JobReplacement: {
            /** @description As read. */
            id?: unknown;
            /** @description As read. */
            status?: unknown;
            /** @description As read. */
            state_reason?: unknown;
            /** @description As read. */
            attempt?: unknown;
            /** @description As read. */
            queued_at?: unknown;
            /** @description As read. */
            started_at?: unknown;
            /** @description As read. */
            finished_at?: unknown;
            /** @description As read. */
            updated_at?: unknown;
            /**
             * @description What lists show instead of the prompt. Empty: none. Compared and kept in Unicode form NFC; no control, bidirectional or invisible characters.
             * @example Greeting
             */
            title?: string | null;
            /** @description Words to find the job by; repeated ones count once. An empty list: none. */
            tags?: string[] | null;
            /** @description As read. */
            agent?: unknown;
            /** @description As read. */
            model_used?: unknown;
            /** @description As read. */
            timeout_effective_seconds?: unknown;
            /** @description As read. */
            copied_from?: unknown;
            /**
             * @description The prompt: more than whitespace. Required unless `base_prompt` is given.
             * @example Say hello.
             */
            prompt?: string | null;
            /** @description Another name of `prompt`; if both are given they must be equal. */
            base_prompt?: string | null;
            /** @description Added after the prompt. */
            extra_prompt?: string | null;
            /** @description Rules whose texts go before the prompt, in this order. */
            rule_ids?: string[] | null;
            /** @description Name of an execution profile; default: the deployment's. */
            profile?: string | null;
            /** @description Overrides the profile's model. */
            model?: string | null;
            /**
             * Format: int64
             * @description Higher runs earlier. Default 0.
             * @example 0
             */
            priority?: number | null;
            /** @description Per attempt, in the deployment's unit: `info.x-timeout-unit` of this document says which. */
            timeout?: number | null;
            /** @description As read. */
            timeout_unit?: unknown;
            /** @description How many more attempts a failure gets. Default 0. */
            retries?: number | null;
            /** @description Working folder, created if missing. Relative: below the workspace of the project; absolute: below an allowed root. A project's own folder and the private folder of another job are refused. Default: a private folder. No control, bidirectional or invisible characters. */
            cwd?: string | null;
            /** @description As read. */
            project_id?: unknown;
            /** @description As read. */
            project?: unknown;
            /** @description As read. */
            idempotency_key?: unknown;
            /** @description As read. */
            save_draft?: unknown;
            /** @description As read. */
            draft?: unknown;
            /** @description As read. */
            created_at?: unknown;
            /** @description As read. */
            cancel_requested_at?: unknown;
            /** @description As read. */
            created_by?: unknown;
            /** @description As read. */
            parent_id?: unknown;
            /** @description As read. */
            follow_up_ids?: unknown;
            /** @description As read. */
            worker_id?: unknown;
            /** @description As read. */
            exit_code?: unknown;
            /** @description As read. */
            signal?: unknown;
            /** @description As read. */
            error?: unknown;
            /** @description As read. */
            usage?: unknown;
            /** @description As read. */
            session_id?: unknown;
            /** @description As read. */
            stdout_bytes?: unknown;
            /** @description As read. */
            stderr_bytes?: unknown;
            /** @description As read. */
            version?: unknown;
            /** @description As read. */
            warnings?: unknown;
            /** @description As read. */
            deployments?: unknown;
            /** @description As read. */
            changes?: unknown;
            /** @description As read. */
            queue?: unknown;
            /** @description As read. */
            attempts?: unknown;
        };
        DraftEdit: {
            /**
             * @description The prompt: more than whitespace. Required unless `base_prompt` is given.
             * @example Say hello.
             */
            prompt?: string | null;
            /** @description Another name of `prompt`; if both are given they must be equal. */
            base_prompt?: string | null;
            /** @description Added after the prompt. */
            extra_prompt?: string | null;
            /** @description Rules whose texts go before the prompt, in this order. */
            rule_ids?: string[] | null;
            /** @description Name of an execution profile; default: the deployment's. */
            profile?: string | null;
            /** @description Overrides the profile's model. */
            model?: string | null;
            /**
             * Format: int64
             * @description Higher runs earlier. Default 0.
             * @example 0
             */
            priority?: number | null;
            /** @description Per attempt, in the deployment's unit: `info.x-timeout-unit` of this document says which. */
            timeout?: number | null;
            /** @description How many more attempts a failure gets. Default 0. */
            retries?: number | null;
            /**
             * @description What lists show instead of the prompt. Empty: none. Compared and kept in Unicode form NFC; no control, bidirectional or invisible characters.
             * @example Greeting
             */
            title?: string | null;
            /** @description Words to find the job by; repeated ones count once. An empty list: none. */
            tags?: string[] | null;
            /** @description Working folder, created if missing. Relative: below the workspace of the project; absolute: below an allowed root. A project's own folder and the private folder of another job are refused. Default: a private folder. No control, bidirectional or invisible characters. */
            cwd?: string | null;
            /** @description Id or name; an unknown project is created. Default `local_project`. Compared and kept in Unicode form NFC; no control, bidirectional or invisible characters. */
            project_id?: string | null;
            /** @description Another way to give `project_id`. */
            project?: string | null;
        };
        DeployBindingWrite: {
            /** @enum {string} */
            binding_mode: "generic" | "custom" | "hosted_editor" | "web_framework";
            /** @description Id or name. Default `local_project`. Compared and kept in Unicode form NFC; no control, bidirectional or invisible characters. */
            project_id?: string | null;
            /** @description Another way to give `project_id`. */
            project?: string | null;
            /** @description Default: the mode. Compared and kept in Unicode form NFC; no control, bidirectional or invisible characters. */
            name?: string | null;
            /**
             * @description Mode generic: where the signed call goes; https.
             * @example https://ci.example.com/hook
             */
            target_url?: string | null;
            /** @description Mode generic: what calls are signed with, as Standard Webhooks has it. Without it one is made. */
            secret?: string | null;
            /** @description Mode generic: makes a new secret; calls are signed with both for 24 hours. */
            rotate_secret?: boolean | null;
            /** @description Mode custom: run by bash in the job's working folder after its success. */
            command?: string | null;
            /**
             * @description Mode hosted_editor: an address with `{cwd}` and `{project}`, which are put in URL-encoded; none of them in its scheme, user, host or port.
             * @example https://editor.example.com/?folder={cwd}
             */
            open_url?: string | null;
            /** @description Mode web_framework: whose commands are run; `nextjs`, `vite`, `astro`, `django` and others. */
            framework?: string | null;
            /** @description Mode web_framework: instead of the framework's. */
            install_command?: string | null;
            /** @description Mode web_framework: instead of the framework's. */
            build_command?: string | null;
            /** @description Mode web_framework: instead of the framework's. */
            deploy_command?: string | null;
            /** @description Modes custom and web_framework: of each command. Default 900. */
            timeout_seconds?: number | null;
        };
        ConfigDocument: {
            rules?: components["schemas"]["RuleEntry"][] | null;
            profiles?: components["schemas"]["ProfileEntry"][] | null;
        };
        RuleEntry: {
            /** @description What jobs ask for in `rule_ids`. */
            id: string;
            /** @description For people; default: the id. Compared and kept in Unicode form NFC; no control, bidirectional or invisible characters. */
            name?: string | null;
            /** @description Goes before the prompt of the jobs that ask for it. */
            text: string;
        };
        ProfileEntry: {
            /** @description What jobs ask for. */
            name: string;
            /**
             * @description Whose CLI runs the prompt; `shell`: the prompt is a bash script.
             * @enum {string}
             */
            agent: "codex" | "claude" | "shell";
            /** @description Where a job names none. */
            model?: string | null;
            /** @description Added to the agent's own arguments. */
            args?: string[] | null;
            /** @description Added to the agent's environment: a text, or the name of a secret, never its value. A value stored for this profile comes before the one that all profiles share. Refused names: `PROMPTQ_*`, `AWS_*`, `LD_*`, `DYLD_*`, `GLIBC_TUNABLES`, `GCONV_PATH`, `LOCPATH`, `BASH_ENV`, `ENV`, `SHELLOPTS`, `PS4`, `NODE_OPTIONS`, `PERL5OPT`, `PERL5LIB`, `PERL5DB`, `PYTHONSTARTUP`, `RUBYOPT`, `JAVA_TOOL_OPTIONS`, `JDK_JAVA_OPTIONS`, `_JAVA_OPTIONS`. */
            env?: {
                [key: string]: string | {
                    secret: string;
                };
            } | null;
            /**
             * @description `none` (default): the container is the sandbox. In the cloud only `none` is accepted: the sandboxes of the CLIs need user namespaces, which containers on Fargate do not have.
             * @enum {string|null}
             */
            sandbox?: "workspace-write" | "read-only" | "none" | null;
            /** @description Per attempt, in the deployment's unit, where a job gives none. */
            timeout?: number | null;
            /** @description Where a job gives none. */
            retries?: number | null;
            /** @description How many of its jobs run at once at most, whoever runs them; the others wait as `profile_busy`. Absent: no limit. It is judged when a job is to start: one that runs already is not ended. */
            concurrency?: number | null;
            /**
             * @description `practice`: the stand-in vendor that only the local run has.
             * @enum {string|null}
             */
            vendor?: "own" | "practice" | null;
        };
        ProjectEdit: {
            /**
             * @description Address of a git repository, https and without credentials. A job of the project that names no `cwd` then works in a git worktree of its own. Empty: none.
             * @example https://git.example.com/team/app.git
             */
            repository?: "" | (string | null);
            /** @description Branch, tag or commit that worktrees begin at. Empty: the repository's default branch. */
            ref?: "" | (string | null);
            /** @description A shell command that is run once in each new worktree, before the agent. Empty: none. */
            setup?: "" | (string | null);
            /** @description Name of the secret with which the repository is read; its value is a line `https://USER:TOKEN@HOST`, and it is used for that host alone. Empty: none. */
            secret?: "" | (string | null);
            /** @description Whether at most one job, or the commands that deploy it, works in a folder at a time; others of the same `cwd` wait. */
            exclusive_cwd?: boolean | null;
        };
        TokenCreation: {
            /**
             * @description What the token is for. Compared and kept in Unicode form NFC; no control, bidirectional or invisible characters.
             * @example nightly build
             */
            name: string;
            /** @description Default: read, write. `admin` grants everything. */
            scopes?: ("read" | "write" | "logs" | "attachments" | "admin")[] | null;
            /**
             * Format: date-time
             * @description A time to come, RFC 3339; default: never.
             * @example 2027-01-01T00:00:00Z
             */
            expires_at?: string | null;
        };
        Health: {
            /** @enum {string} */
            status: "ok" | "degraded";
            /** @example 0.1.0 */
            version: string;
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            time: string;
            status_counts: components["schemas"]["StatusCounts"];
            checks: {
                table: {
                    /** @enum {string} */
                    status: "ok" | "failed";
                    /** @description What is wrong and what to do. */
                    message?: string;
                };
                queues: {
                    /** @enum {string} */
                    status: "ok" | "failed";
                    /** @description What is wrong and what to do. */
                    message?: string;
                };
                storage: {
                    /** @enum {string} */
                    status: "ok" | "failed";
                    /** @description What is wrong and what to do. */
                    message?: string;
                };
                workers: {
                    /** @enum {string} */
                    status: "ok" | "failed";
                    /** @description What is wrong and what to do. */
                    message?: string;
                    live?: number;
                };
            };
        };
        /**
         * @example {
         *       "DRAFT": 1,
         *       "QUEUED": 3,
         *       "RUNNING": 2,
         *       "SUCCEEDED": 120,
         *       "FAILED": 4,
         *       "CANCELLED": 0
         *     }
         */
        StatusCounts: {
            DRAFT: number;
            QUEUED: number;
            RUNNING: number;
            SUCCEEDED: number;
            FAILED: number;
            CANCELLED: number;
        };
        /** @description A refusal. `error` is a fixed word or a sentence; other members are optional. */
        Error: {
            error: string;
            details?: {
                [key: string]: unknown;
            };
            request_id: string;
        };
        Environment: {
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            time: string;
            /** @description Workers that were heard of in the last 45 seconds. */
            hosts: components["schemas"]["Host"][];
            service: {
                /** @description Of AWS; `local` on one machine. */
                region: string;
                version: string;
                node_version: string;
                timeout_unit: string;
                default_profile: string;
                scope_enforcement: boolean;
                max_body_bytes: number;
                /** @description Every limit that a client can meet. Names in camelCase are deprecated: each is there in snake_case too. */
                limits: {
                    [key: string]: unknown;
                };
            };
            profiles: {
                name: string;
                /** @enum {string} */
                agent: "codex" | "claude" | "shell";
                model: string | null;
                is_default: boolean;
                /** @enum {string} */
                source: "built_in" | "imported";
            }[];
            /** @description Named by profiles, or used by jobs already. */
            models: string[];
            projects: {
                items: {
                    id: string;
                    name: string;
                    job_counts: components["schemas"]["StatusCounts"];
                }[];
                /** @description Whether there are more than shown: `GET /projects` has all. */
                more: boolean;
            };
            jobs: components["schemas"]["StatusCounts"];
            token_usage: {
                today: components["schemas"]["TokenSums"];
                last_30_days: components["schemas"]["TokenSums"];
            };
        };
        Host: {
            worker_id: string;
            host: string;
            version: string;
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            started_at: string;
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            seen_at: string;
            /** @description Jobs that it runs at once. */
            slots: number;
            running_job_ids: string[];
            cpu: {
                count: number;
                /** @description Load average of the last minute, of the whole host. */
                load_1m: number;
                architecture: string;
            } | null;
            memory: {
                total_bytes: number;
                free_bytes: number;
            } | null;
            /** @description The disk of its work folder. */
            storage: {
                total_bytes: number;
                free_bytes: number;
            } | null;
            node_version: string | null;
            platform: string | null;
        };
        /** @description Of all attempts, failed ones too. */
        TokenSums: {
            input_tokens: number;
            cached_input_tokens: number;
            output_tokens: number;
            reasoning_output_tokens: number;
            /** @description Of those agents whose CLI says it. */
            cost_usd: number;
        };
        Stats: {
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            time: string;
            statuses: components["schemas"]["StatusCounts"];
            jobs: {
                total: number;
                by_status: components["schemas"]["StatusCounts"];
                /** @description Of the jobs that ended within `by_day`. */
                last_30_days: {
                    succeeded: number;
                    failed: number;
                    cancelled: number;
                    /** @description Succeeded among succeeded and failed, 0 to 1. */
                    success_rate: number | null;
                    /** @description From being queued to the start of the last attempt. */
                    queue_wait_ms: components["schemas"]["Spread"];
                    /** @description Of the last attempt. */
                    duration_ms: components["schemas"]["Spread"];
                };
                /** @description Thirty days, today last; by the day of the end. */
                by_day: {
                    /**
                     * Format: date
                     * @description UTC.
                     * @example 2026-11-20
                     */
                    day: string;
                    succeeded: number;
                    failed: number;
                    cancelled: number;
                    /** @description Succeeded among succeeded and failed, 0 to 1. */
                    success_rate: number | null;
                    /** @description From being queued to the start of the last attempt. */
                    queue_wait_ms: components["schemas"]["Spread"];
                    /** @description Of the last attempt. */
                    duration_ms: components["schemas"]["Spread"];
                }[];
            };
            projects: {
                items: {
                    id: string;
                    name: string;
                    job_counts: components["schemas"]["StatusCounts"];
                    tokens: components["schemas"]["TokenSums"];
                    /**
                     * Format: date-time
                     * @example 2026-11-20T10:41:00.000Z
                     */
                    last_activity_at: string | null;
                }[];
                /** @description Whether there are more than shown: `GET /projects` has all. */
                more: boolean;
            };
            tokens: {
                last_30_days: components["schemas"]["TokenSums"];
                /** @description By the day they were reported. */
                by_day: {
                    /**
                     * Format: date
                     * @description UTC.
                     * @example 2026-11-20
                     */
                    day: string;
                    input_tokens: number;
                    cached_input_tokens: number;
                    output_tokens: number;
                    reasoning_output_tokens: number;
                    /** @description Of those agents whose CLI says it. */
                    cost_usd: number;
                }[];
                /** @description Since ever. `(default of PROFILE)` where neither job nor profile named a model. */
                by_model: {
                    model: string;
                    input_tokens: number;
                    cached_input_tokens: number;
                    output_tokens: number;
                    reasoning_output_tokens: number;
                    /** @description Of those agents whose CLI says it. */
                    cost_usd: number;
                }[];
                /** @description Since ever, of the projects in `projects.items`. */
                by_project: {
                    project_id: string;
                    project: string;
                    input_tokens: number;
                    cached_input_tokens: number;
                    output_tokens: number;
                    reasoning_output_tokens: number;
                    /** @description Of those agents whose CLI says it. */
                    cost_usd: number;
                }[];
            };
        };
        /** @description Milliseconds, kept in steps of a factor of √2, so within 19 %. Null where there is nothing. */
        Spread: {
            count: number;
            p50: number | null;
            p95: number | null;
        };
        JobCreated: {
            /** @example job_4k2q0v9m6s8x1c3b5n7h2j4d6f */
            id: string;
            /**
             * @description The job's page in the console. Null while the deployment has no public address.
             * @example https://queue.example.com/jobs/job_4k2q0v9m6s8x1c3b5n7h2j4d6f
             */
            url: string | null;
        };
        JobList: {
            /** @description In the order that was asked for. */
            items: components["schemas"]["JobSummary"][];
            /** @description How many jobs match the filters; at least so many if not `total_complete`. */
            total: number;
            /** @description Whether all jobs were read to count the matches. One request reads 50000 jobs, a search the months that hold so many; `next_cursor` goes on, after a page that may be empty. */
            total_complete: boolean;
            offset: number;
            limit: number;
            status_counts: components["schemas"]["StatusCounts"];
            next_cursor: string | null;
        };
        JobSummary: {
            id: string;
            /** @enum {string} */
            status: "DRAFT" | "QUEUED" | "RUNNING" | "SUCCEEDED" | "FAILED" | "CANCELLED";
            state_reason: components["schemas"]["StateReason"];
            project_id: string;
            project: string;
            title: string | null;
            tags: string[];
            /**
             * @description The agent that ran the newest attempt; before that the profile's. Null for a job that an earlier version made and that has not run since.
             * @enum {string|null}
             */
            agent: "codex" | "claude" | "shell" | null;
            /** @description The model of the newest attempt that has ended: what its agent's output names, else what the agent was told to use. Null while nothing is known, and where the agent used its own default without naming it. */
            model_used: string | null;
            /** @description How long an attempt may take, with the profile's default, in seconds. Null: no limit. */
            timeout_effective_seconds: number | null;
            /** @description The job that this one was made from. */
            copied_from: string | null;
            /** @description Null for a moment after the job was removed. */
            created_by: string | null;
            profile: string;
            model: string | null;
            /** Format: int64 */
            priority: number;
            cwd: string | null;
            /** @description The first 200 characters of the prompt. */
            prompt_preview: string;
            attempt: number;
            exit_code: number | null;
            signal: string | null;
            parent_id: string | null;
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            queued_at: string | null;
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            started_at: string | null;
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            finished_at: string | null;
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            cancel_requested_at: string | null;
        };
        /**
         * @description Why the job is in its state. Never empty. While an earlier version answers, as after a rollback, `code` and the state of a job can be ones that only a later version lists.
         * @example {
         *       "code": "exited",
         *       "message": "The process ended.",
         *       "retryable": false
         *     }
         */
        StateReason: {
            /** @enum {string} */
            code: "draft" | "waiting_for_worker" | "retry_backoff" | "worker_lost" | "account_required" | "usage_limit" | "folder_busy" | "profile_busy" | "running" | "cancelling" | "cancelled_by_request" | "killed_by_request" | "exited" | "agent_error" | "timed_out" | "start_failed" | "output_limit";
            /** @example Waiting for a free worker. */
            message: string;
            /** @description Whether the job goes on by itself. */
            retryable: boolean;
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            next_check_at?: string;
        };
        Job: {
            id: string;
            /** @enum {string} */
            status: "DRAFT" | "QUEUED" | "RUNNING" | "SUCCEEDED" | "FAILED" | "CANCELLED";
            state_reason: components["schemas"]["StateReason"];
            /** @description Number of the newest attempt; 0 before the first. */
            attempt: number;
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            queued_at: string | null;
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            started_at: string | null;
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            finished_at: string | null;
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            updated_at: string;
            title: string | null;
            tags: string[];
            /**
             * @description The agent that ran the newest attempt; before that the profile's. Null for a job that an earlier version made and that has not run since.
             * @enum {string|null}
             */
            agent: "codex" | "claude" | "shell" | null;
            /** @description The model of the newest attempt that has ended: what its agent's output names, else what the agent was told to use. Null while nothing is known, and where the agent used its own default without naming it. */
            model_used: string | null;
            /** @description How long an attempt may take, with the profile's default, in seconds. Null: no limit. */
            timeout_effective_seconds: number | null;
            /** @description The job that this one was made from. */
            copied_from: string | null;
            prompt: string;
            base_prompt: string;
            extra_prompt: string | null;
            rule_ids: string[];
            profile: string;
            model: string | null;
            /** Format: int64 */
            priority: number;
            timeout: number | null;
            timeout_unit: string;
            retries: number;
            cwd: string | null;
            project_id: string;
            project: string;
            idempotency_key: string | null;
            save_draft: boolean;
            draft: boolean;
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            cancel_requested_at: string | null;
            created_by: string;
            parent_id: string | null;
            follow_up_ids: string[];
            worker_id: string | null;
            exit_code: number | null;
            signal: string | null;
            error: string | null;
            usage: components["schemas"]["Usage"] | (null);
            /** @description The agent's own id of its session. */
            session_id: string | null;
            stdout_bytes: number;
            stderr_bytes: number;
            version: number;
            warnings: string[];
            /** @description What the project's deploy bindings did with the job. */
            deployments: components["schemas"]["JobDeployment"][];
            changes: components["schemas"]["RepositoryChanges"] | (null);
            /** @description Only in the answer of `GET /jobs/{id}`, and null for a job that is not QUEUED. */
            queue: components["schemas"]["QueuePlace"] | (null);
            /** @description How the newest 10 attempts went, the newest first. Only in the answer of `GET /jobs/{id}`, else null. `GET /jobs/{id}/result?attempt=N` has all of an attempt. */
            attempts: components["schemas"]["JobAttempt"][] | null;
        };
        /** @description What the agent's own events counted. */
        Usage: {
            input_tokens: number;
            cached_input_tokens: number;
            output_tokens: number;
            reasoning_output_tokens: number;
            cost_usd?: number;
        };
        JobDeployment: {
            /** @description Id of the deploy binding. */
            binding: string;
            name: string;
            /** @enum {string} */
            mode: "generic" | "custom" | "hosted_editor" | "web_framework";
            /** @description The attempt of the job whose success it followed. */
            attempt: number;
            /** @enum {string} */
            state: "pending" | "running" | "delivered" | "succeeded" | "failed" | "skipped";
            /** @description How often it was tried. */
            attempts: number;
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            started_at: string | null;
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            finished_at: string | null;
            /**
             * Format: date-time
             * @description When a call is tried again.
             * @example 2026-11-20T10:41:00.000Z
             */
            next_attempt_at?: string;
            /** @description The HTTP status that a call was answered with last. */
            last_status?: number;
            /** @description Opens the working folder in a hosted editor. */
            open_url?: string;
            error?: string;
            /** @description The end, at most 16384 bytes, of what its commands wrote. */
            log?: string;
            log_truncated?: boolean;
        };
        /** @description What the job changed in its project's repository, new files included; null where there is none. */
        RepositoryChanges: {
            /** @description The branch that the worktree is on. */
            branch: string | null;
            /** @description The commit that the worktree began at. */
            base: string;
            /** @description The commit that it is at. */
            head: string;
            /** @description `git diff --stat`; the whole diff is the attachment `.promptq/changes.diff`. */
            stat: string;
            files: number;
            insertions: number;
            deletions: number;
            /** @description Whether the attachment is not all of the diff. */
            truncated: boolean;
        };
        /**
         * @example {
         *       "ahead": 2,
         *       "ahead_complete": true,
         *       "held_by": []
         *     }
         */
        QueuePlace: {
            /** @description Jobs before this one: of its project and of like priority (above 0, 0, or below), or those that wait for the same folder or profile. Null while it waits for the vendor, as do others that go on together. */
            ahead: number | null;
            /** @description Whether `ahead` is all of them; else there are at least so many. */
            ahead_complete: boolean;
            /** @description The jobs that have the folder, or the turns of the profile, that this one waits for. */
            held_by: string[];
        };
        JobAttempt: {
            attempt: number;
            /**
             * @description SUCCEEDED, FAILED or CANCELLED, or RUNNING. QUEUED: the attempt had no outcome, and the job waited for another one. Null: its record cannot be read.
             * @enum {string|null}
             */
            status: "DRAFT" | "QUEUED" | "RUNNING" | "SUCCEEDED" | "FAILED" | "CANCELLED" | null;
            /** @description Null: the record of the attempt cannot be read. */
            state_reason: components["schemas"]["StateReason"] | (null);
            /**
             * Format: date-time
             * @description Null where it is not recorded, as when its worker was lost.
             * @example 2026-11-20T10:41:00.000Z
             */
            started_at: string | null;
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            finished_at: string | null;
            exit_code: number | null;
            signal: string | null;
        };
        JobLifecycle: {
            id: string;
            /** @enum {string} */
            status: "DRAFT" | "QUEUED" | "RUNNING" | "SUCCEEDED" | "FAILED" | "CANCELLED";
            state_reason: components["schemas"]["StateReason"];
            /** @description Number of the newest attempt; 0 before the first. */
            attempt: number;
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            queued_at: string | null;
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            started_at: string | null;
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            finished_at: string | null;
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            updated_at: string;
            /** @description Whether the job has come to its end. */
            terminal: boolean;
        };
        RereadJob: {
            id: string;
            /** @enum {string} */
            status: "DRAFT" | "QUEUED" | "RUNNING" | "SUCCEEDED" | "FAILED" | "CANCELLED";
            state_reason: components["schemas"]["StateReason"];
            /** @description Number of the newest attempt; 0 before the first. */
            attempt: number;
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            queued_at: string | null;
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            started_at: string | null;
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            finished_at: string | null;
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            updated_at: string;
            title: string | null;
            tags: string[];
            /**
             * @description The agent that ran the newest attempt; before that the profile's. Null for a job that an earlier version made and that has not run since.
             * @enum {string|null}
             */
            agent: "codex" | "claude" | "shell" | null;
            /** @description The model of the newest attempt that has ended: what its agent's output names, else what the agent was told to use. Null while nothing is known, and where the agent used its own default without naming it. */
            model_used: string | null;
            /** @description How long an attempt may take, with the profile's default, in seconds. Null: no limit. */
            timeout_effective_seconds: number | null;
            /** @description The job that this one was made from. */
            copied_from: string | null;
            prompt: string;
            base_prompt: string;
            extra_prompt: string | null;
            rule_ids: string[];
            profile: string;
            model: string | null;
            /** Format: int64 */
            priority: number;
            timeout: number | null;
            timeout_unit: string;
            retries: number;
            cwd: string | null;
            project_id: string;
            project: string;
            idempotency_key: string | null;
            save_draft: boolean;
            draft: boolean;
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            cancel_requested_at: string | null;
            created_by: string;
            parent_id: string | null;
            follow_up_ids: string[];
            worker_id: string | null;
            exit_code: number | null;
            signal: string | null;
            error: string | null;
            usage: components["schemas"]["Usage"] | (null);
            /** @description The agent's own id of its session. */
            session_id: string | null;
            stdout_bytes: number;
            stderr_bytes: number;
            version: number;
            warnings: string[];
            /** @description What the project's deploy bindings did with the job. */
            deployments: components["schemas"]["JobDeployment"][];
            changes: components["schemas"]["RepositoryChanges"] | (null);
            /** @description Only in the answer of `GET /jobs/{id}`, and null for a job that is not QUEUED. */
            queue: components["schemas"]["QueuePlace"] | (null);
            /** @description How the newest 10 attempts went, the newest first. Only in the answer of `GET /jobs/{id}`, else null. `GET /jobs/{id}/result?attempt=N` has all of an attempt. */
            attempts: components["schemas"]["JobAttempt"][] | null;
            /** @description What was wrong and is right now: fields of the job, or `attempt N: …` of its record. */
            refreshed: string[];
            /** @description Follow-up jobs that were missing and are there now. */
            recovered_follow_up_ids: string[];
        };
        JobResult: {
            id: string;
            /** @enum {string} */
            status: "DRAFT" | "QUEUED" | "RUNNING" | "SUCCEEDED" | "FAILED" | "CANCELLED";
            state_reason: components["schemas"]["StateReason"];
            attempt: number;
            /**
             * @description The agent that ran the newest attempt; before that the profile's. Null for a job that an earlier version made and that has not run since.
             * @enum {string|null}
             */
            agent: "codex" | "claude" | "shell" | null;
            /** @description The model of the newest attempt that has ended: what its agent's output names, else what the agent was told to use. Null while nothing is known, and where the agent used its own default without naming it. */
            model_used: string | null;
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            started_at: string | null;
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            finished_at: string | null;
            duration_ms: number | null;
            /** @description The agent's last message. */
            final_message: string | null;
            /** @description The text that the agent was given. */
            composed_prompt: string | null;
            /** @description The files that the attempt left. */
            attachments: components["schemas"]["Attachment"][];
            changes: components["schemas"]["RepositoryChanges"] | (null);
            follow_up_ids: string[];
            exit_code: number | null;
            signal: string | null;
            error: string | null;
            usage: components["schemas"]["Usage"] | (null);
            /** @description The agent's own id of its session. */
            session_id: string | null;
            stdout_bytes: number;
            stderr_bytes: number;
            /** @description UTF-8 text; bytes that are none become U+FFFD. */
            stdout: string;
            /** @description UTF-8 text; bytes that are none become U+FFFD. */
            stderr: string;
            stdout_truncated: boolean;
            stderr_truncated: boolean;
            /**
             * @description Present once the attempt has ended: how what is kept compares with what was recorded then. `missing`: nothing is kept; `truncated`: fewer bytes are; `corrupt`: other bytes are. The text is then what is left. The length is always compared, the SHA-256 if the answer holds the whole stream.
             * @enum {string}
             */
            stdout_state?: "complete" | "missing" | "truncated" | "corrupt";
            /**
             * @description Present once the attempt has ended: how what is kept compares with what was recorded then. `missing`: nothing is kept; `truncated`: fewer bytes are; `corrupt`: other bytes are. The text is then what is left. The length is always compared, the SHA-256 if the answer holds the whole stream.
             * @enum {string}
             */
            stderr_state?: "complete" | "missing" | "truncated" | "corrupt";
            /**
             * @description Present once the attempt has ended: whether its record can be read, which `final_message`, `composed_prompt` and `changes` come from. `missing`: the record is gone, or the worker was lost before it wrote one; `corrupt`: it can't be read.
             * @enum {string}
             */
            receipt_state?: "complete" | "missing" | "truncated" | "corrupt";
            /**
             * @description Present if the attempt left attachments: whether the list of them is kept. `missing`: entries are missing; `corrupt`: it can't be read.
             * @enum {string}
             */
            attachments_state?: "complete" | "missing" | "truncated" | "corrupt";
        };
        Attachment: {
            /**
             * @description Names it in an address, once percent-encoded like any segment: the path, with `%` written as `%25` and `/` as `%2F`.
             * @example report%2Fsummary.md
             */
            name: string;
            /**
             * @description Relative to the folder that the agent was given as `$PROMPTQ_ATTACHMENTS`.
             * @example report/summary.md
             */
            path: string;
            bytes: number;
            /** @description Hex. */
            sha256: string;
            /** @description What it is by its name. Downloads are always sent as bytes. */
            content_type: string;
            attempt: number;
        };
        JobLogs: {
            id: string;
            /** @enum {string} */
            status: "DRAFT" | "QUEUED" | "RUNNING" | "SUCCEEDED" | "FAILED" | "CANCELLED";
            attempt: number;
            /** @enum {string} */
            stream: "stdout" | "stderr" | "all";
            /** @description UTF-8 text; bytes that are none become U+FFFD. */
            stdout?: string;
            /** @description UTF-8 text; bytes that are none become U+FFFD. */
            stderr?: string;
            stdout_bytes?: number;
            stderr_bytes?: number;
            stdout_truncated?: boolean;
            stderr_truncated?: boolean;
            /**
             * @description Present once the attempt has ended: how what is kept compares with what was recorded then. `missing`: nothing is kept; `truncated`: fewer bytes are; `corrupt`: other bytes are. The text is then what is left. The length is always compared, the SHA-256 if the answer holds the whole stream.
             * @enum {string}
             */
            stdout_state?: "complete" | "missing" | "truncated" | "corrupt";
            /**
             * @description Present once the attempt has ended: how what is kept compares with what was recorded then. `missing`: nothing is kept; `truncated`: fewer bytes are; `corrupt`: other bytes are. The text is then what is left. The length is always compared, the SHA-256 if the answer holds the whole stream.
             * @enum {string}
             */
            stderr_state?: "complete" | "missing" | "truncated" | "corrupt";
            /** @description Where the next read of this stream begins; null when `stream` is `all`. */
            next_offset: number | null;
        };
        DeployBinding: {
            id: string;
            project_id: string;
            project: string;
            name: string;
            /** @enum {string} */
            binding_mode: "generic" | "custom" | "hosted_editor" | "web_framework";
            /** @description Whether it does something. Otherwise `missing` or `disabled_reason` says why. */
            ready: boolean;
            /** @description Fields without which it does nothing. */
            missing: string[];
            /** @description Why it was switched off, where writing it switches it on again; or what is wrong with its `open_url`. */
            disabled_reason: string | null;
            target_url: string | null;
            command: string | null;
            open_url: string | null;
            framework: string | null;
            install_command: string | null;
            build_command: string | null;
            deploy_command: string | null;
            timeout_seconds: number | null;
            /** @description What is run, in this order, up to the first failure. */
            commands: string[];
            /** @description Only in the answer to the call that made it. */
            secret?: string;
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            updated_at: string;
        };
        DeployBindingList: {
            items: components["schemas"]["DeployBinding"][];
        };
        Account: {
            /** @enum {string} */
            vendor: "codex";
            /**
             * @description Where the newest login stands; without one, whether an account is linked.
             * @enum {string}
             */
            state: "not_linked" | "starting" | "awaiting_user" | "linked" | "failed" | "cancelled" | "expired";
            /** @description Whether jobs can use a linked account; it stays linked while a new login is under way. */
            logged_in: boolean;
            /** @description What the vendor calls the linked account. */
            account?: string;
            /** @description The page where the code is to be entered. */
            verification_uri?: string;
            /** @description The one-time code; it is kept in the memory of the login process alone. */
            user_code?: string;
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            expires_at?: string;
            /** @description Why the login has failed, and what to do. */
            error?: string;
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            updated_at: string;
        };
        ProjectList: {
            items: components["schemas"]["Project"][];
            /** @description Null after the last page. A page can hold fewer items than asked for and not be the last. */
            next_cursor: string | null;
        };
        Project: {
            id: string;
            name: string;
            /** @description Folder on the workers in which its jobs work. */
            workspace: string;
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When a job of it last changed its state.
             * @example 2026-11-20T10:41:00.000Z
             */
            last_activity_at: string | null;
            job_counts: components["schemas"]["StatusCounts"];
            repository: string | null;
            ref: string | null;
            setup: string | null;
            /** @description The name of a secret, never its value. */
            secret: string | null;
            exclusive_cwd: boolean;
        };
        RuleList: {
            items: components["schemas"]["Rule"][];
            /** @description Null after the last page. A page can hold fewer items than asked for and not be the last. */
            next_cursor: string | null;
        };
        Rule: {
            id: string;
            name: string;
            text: string;
            /** @enum {string} */
            source: "built_in" | "imported";
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            updated_at: string | null;
        };
        ProfileList: {
            items: components["schemas"]["Profile"][];
            /** @description Null after the last page. A page can hold fewer items than asked for and not be the last. */
            next_cursor: string | null;
        };
        Profile: {
            name: string;
            /** @enum {string} */
            agent: "codex" | "claude" | "shell";
            /** @description Null: the agent's own default. */
            model: string | null;
            args: string[];
            env: {
                [key: string]: string | {
                    secret: string;
                };
            };
            /** @enum {string} */
            sandbox: "workspace-write" | "read-only" | "none";
            timeout: number | null;
            timeout_unit: string;
            retries: number;
            /** @description Null: no limit. */
            concurrency: number | null;
            /** @enum {string} */
            vendor: "own" | "practice";
            /** @description Whether jobs that name no profile get it. */
            is_default: boolean;
            /** @enum {string} */
            source: "built_in" | "imported";
            /**
             * Format: date-time
             * @description Null of what is built in.
             * @example 2026-11-20T10:41:00.000Z
             */
            updated_at: string | null;
        };
        ImportResult: {
            /** @description True: nothing was changed. */
            dry_run: boolean;
            /** @description Ids. */
            rules: {
                created: string[];
                updated: string[];
                unchanged: string[];
            };
            /** @description Names. */
            profiles: {
                created: string[];
                updated: string[];
                unchanged: string[];
            };
        };
        AttachmentList: {
            id: string;
            attempt: number;
            items: components["schemas"]["Attachment"][];
        };
        ProjectSettings: {
            id: string;
            name: string;
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            created_at: string;
            workspace: string;
            repository: string | null;
            ref: string | null;
            setup: string | null;
            /** @description The name of a secret, never its value. */
            secret: string | null;
            exclusive_cwd: boolean;
        };
        OpenApiDocument: {
            /** @example 3.0.3 */
            openapi: string;
        } & {
            [key: string]: unknown;
        };
        AuditLog: {
            /** @description Newest first. With filters a page can hold fewer rows than asked for although more follow. */
            items: components["schemas"]["AuditRow"][];
            /** @description null: nothing follows. */
            next_cursor: string | null;
        };
        AuditRow: {
            id: string;
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            at: string;
            /**
             * @description Who: the kind of principal and its name.
             * @example token:ci
             */
            actor: string;
            /**
             * @description What.
             * @example jobs.cancel
             */
            action: string;
            /**
             * @description To what.
             * @example {
             *       "id": "job_4k2q0v9m6s8x1c3b5n7h2j4d6f"
             *     }
             */
            target: {
                [key: string]: string;
            };
            /**
             * @description From where.
             * @example 203.0.113.9
             */
            source_ip: string | null;
            /**
             * @description HTTP status of the answer.
             * @example 200
             */
            status: number;
            request_id: string;
        };
        Caller: {
            /**
             * @description How the caller proved itself.
             * @enum {string}
             */
            kind: "token" | "perimeter" | "session" | "telegram";
            /**
             * @description What is written down about who did something.
             * @example user:ada@example.com
             */
            name: string;
            email: string | null;
            /**
             * @description What a person may do; null for tokens.
             * @enum {string|null}
             */
            role: "viewer" | "operator" | "admin" | null;
            /** @description Scopes of an API token; they count where the deployment enforces scopes. null for others. */
            scopes: ("read" | "write" | "logs" | "attachments" | "admin")[] | null;
            /** @description Whether scopes limit what tokens may do here. */
            scopes_enforced: boolean;
            /**
             * @description What to know about the scopes that are shown; null if they limit the token, or nothing can be done with it.
             * @example Scopes are not enforced here: this token may do everything.
             */
            scopes_note: string | null;
            /**
             * Format: date-time
             * @description When the credential stops to count; a session moves on with use.
             * @example 2026-11-20T10:41:00.000Z
             */
            expires_at: string | null;
            /** @description Id of a browser session. */
            session_id: string | null;
        };
        SessionList: {
            items: components["schemas"]["Session"][];
        };
        Session: {
            id: string;
            /** @example user:ada@example.com */
            name: string;
            email: string | null;
            /** @enum {string} */
            role: "viewer" | "operator" | "admin";
            /**
             * @description The browser and the system of the sign-in, as the browser itself named them. Null: not known.
             * @example Firefox on Linux
             */
            browser: string | null;
            /**
             * @description The IP address of the sign-in. Null: not known.
             * @example 203.0.113.7
             */
            address: string | null;
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description Written down at most every five minutes.
             * @example 2026-11-20T10:41:00.000Z
             */
            last_used_at: string;
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            expires_at: string;
            /** @description Whether it is the session that asks. */
            current: boolean;
        };
        TokenList: {
            items: components["schemas"]["Token"][];
        };
        Token: {
            id: string;
            name: string;
            scopes: ("read" | "write" | "logs" | "attachments" | "admin")[];
            /** @description Whether scopes limit what tokens may do here. */
            scopes_enforced: boolean;
            /**
             * @description What to know about the scopes that are shown; null if they limit the token, or nothing can be done with it.
             * @example Scopes are not enforced here: this token may do everything.
             */
            scopes_note: string | null;
            /** @enum {string} */
            state: "active" | "suspended" | "revoked";
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description null: never.
             * @example 2026-11-20T10:41:00.000Z
             */
            expires_at: string | null;
            /**
             * Format: date-time
             * @description Written down at most once an hour.
             * @example 2026-11-20T10:41:00.000Z
             */
            last_used_at: string | null;
        };
        CreatedToken: {
            id: string;
            name: string;
            scopes: ("read" | "write" | "logs" | "attachments" | "admin")[];
            /** @description Whether scopes limit what tokens may do here. */
            scopes_enforced: boolean;
            /**
             * @description What to know about the scopes that are shown; null if they limit the token, or nothing can be done with it.
             * @example Scopes are not enforced here: this token may do everything.
             */
            scopes_note: string | null;
            /** @enum {string} */
            state: "active" | "suspended" | "revoked";
            /**
             * Format: date-time
             * @example 2026-11-20T10:41:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description null: never.
             * @example 2026-11-20T10:41:00.000Z
             */
            expires_at: string | null;
            /**
             * Format: date-time
             * @description Written down at most once an hour.
             * @example 2026-11-20T10:41:00.000Z
             */
            last_used_at: string | null;
            /** @description The token itself. It is shown this once and kept nowhere. */
            token: string;
        };
        ConfigDocumentOutput: {
            rules?: components["schemas"]["RuleEntryOutput"][];
            profiles?: components["schemas"]["ProfileEntryOutput"][];
        };
        RuleEntryOutput: {
            /** @description What jobs ask for in `rule_ids`. */
            id: string;
            /** @description For people; default: the id. Compared and kept in Unicode form NFC; no control, bidirectional or invisible characters. */
            name?: string;
            /** @description Goes before the prompt of the jobs that ask for it. */
            text: string;
        };
        ProfileEntryOutput: {
            /** @description What jobs ask for. */
            name: string;
            /**
             * @description Whose CLI runs the prompt; `shell`: the prompt is a bash script.
             * @enum {string}
             */
            agent: "codex" | "claude" | "shell";
            /** @description Where a job names none. */
            model?: string;
            /** @description Added to the agent's own arguments. */
            args?: string[];
            /** @description Added to the agent's environment: a text, or the name of a secret, never its value. A value stored for this profile comes before the one that all profiles share. Refused names: `PROMPTQ_*`, `AWS_*`, `LD_*`, `DYLD_*`, `GLIBC_TUNABLES`, `GCONV_PATH`, `LOCPATH`, `BASH_ENV`, `ENV`, `SHELLOPTS`, `PS4`, `NODE_OPTIONS`, `PERL5OPT`, `PERL5LIB`, `PERL5DB`, `PYTHONSTARTUP`, `RUBYOPT`, `JAVA_TOOL_OPTIONS`, `JDK_JAVA_OPTIONS`, `_JAVA_OPTIONS`. */
            env?: {
                [key: string]: string | {
                    secret: string;
                };
            };
            /**
             * @description `none` (default): the container is the sandbox. In the cloud only `none` is accepted: the sandboxes of the CLIs need user namespaces, which containers on Fargate do not have.
             * @enum {string}
             */
            sandbox?: "workspace-write" | "read-only" | "none";
            /** @description Per attempt, in the deployment's unit, where a job gives none. */
            timeout?: number;
            /** @description Where a job gives none. */
            retries?: number;
            /** @description How many of its jobs run at once at most, whoever runs them; the others wait as `profile_busy`. Absent: no limit. It is judged when a job is to start: one that runs already is not ended. */
            concurrency?: number;
            /**
             * @description `practice`: the stand-in vendor that only the local run has.
             * @enum {string}
             */
            vendor?: "own" | "practice";
        };
    };
    responses: {
        /** @description A sentence says what was received and what is allowed. */
        InvalidRequest: {
            headers: {
                /** @description Id of this request in the log. */
                "x-request-id"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description unauthorized */
        Unauthorized: {
            headers: {
                /** @description Id of this request in the log. */
                "x-request-id"?: string;
                /** @description How to prove who calls: `Bearer realm="promptq"`. API Gateway renames it to `x-amzn-Remapped-WWW-Authenticate`. */
                "WWW-Authenticate"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description forbidden */
        Forbidden: {
            headers: {
                /** @description Id of this request in the log. */
                "x-request-id"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description the request took too long to arrive */
        RequestTimeout: {
            headers: {
                /** @description Id of this request in the log. */
                "x-request-id"?: string;
                /** @description Seconds after which to try again. */
                "Retry-After"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Invalid request size */
        BodyTooLarge: {
            headers: {
                /** @description Id of this request in the log. */
                "x-request-id"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description too_many_requests */
        TooManyRequests: {
            headers: {
                /** @description Id of this request in the log. */
                "x-request-id"?: string;
                /** @description Seconds after which to try again. */
                "Retry-After"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description the headers of the request are too large */
        HeadersTooLarge: {
            headers: {
                /** @description Id of this request in the log. */
                "x-request-id"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description internal_error */
        InternalError: {
            headers: {
                /** @description Id of this request in the log. */
                "x-request-id"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description internal_error */
        FunctionFailed: {
            headers: {
                /** @description Id of this request in the log. */
                "x-request-id"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description unavailable */
        Unavailable: {
            headers: {
                /** @description Id of this request in the log. */
                "x-request-id"?: string;
                /** @description Seconds after which to try again. */
                "Retry-After"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description timed_out */
        TimedOut: {
            headers: {
                /** @description Id of this request in the log. */
                "x-request-id"?: string;
                /** @description Seconds after which to try again. */
                "Retry-After"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description job_not_found */
        JobNotFound: {
            headers: {
                /** @description Id of this request in the log. */
                "x-request-id"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description A sentence says what was received and what is allowed. / A sentence says what was received and what is allowed. */
        InvalidRequestOrInvalidState: {
            headers: {
                /** @description Id of this request in the log. */
                "x-request-id"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description invalid action / A sentence says what was received and what is allowed. */
        InvalidActionOrInvalidRequest: {
            headers: {
                /** @description Id of this request in the log. */
                "x-request-id"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description not_found */
        NotFound: {
            headers: {
                /** @description Id of this request in the log. */
                "x-request-id"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description job_not_found / not_found */
        JobNotFoundOrNotFound: {
            headers: {
                /** @description Id of this request in the log. */
                "x-request-id"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description A sentence says what was received and what is allowed. / A sentence says what was received and what is allowed. */
        InvalidStateOrInvalidRequest: {
            headers: {
                /** @description Id of this request in the log. */
                "x-request-id"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    readHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What works, what does not, and how many jobs are in each state. */
            200: {
                headers: {
                    /** @description Id of this request in the log. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok",
                     *       "version": "0.1.0",
                     *       "time": "2026-11-20T10:41:00.000Z",
                     *       "status_counts": {
                     *         "DRAFT": 1,
                     *         "QUEUED": 3,
                     *         "RUNNING": 2,
                     *         "SUCCEEDED": 120,
                     *         "FAILED": 4,
                     *         "CANCELLED": 0
                     *       },
                     *       "checks": {
                     *         "table": {
                     *           "status": "ok"
                     *         },
                     *         "queues": {
                     *           "status": "ok"
                     *         },
                     *         "storage": {
                     *           "status": "ok"
                     *         },
                     *         "workers": {
                     *           "status": "ok"
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Health"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    readEnvironment: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Hosts, service, profiles, models, projects, jobs, tokens. */
            200: {
                headers: {
                    /** @description Id of this request in the log. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "time": "2026-11-20T10:41:00.000Z",
                     *       "hosts": [
                     *         {
                     *           "worker_id": "text",
                     *           "host": "text",
                     *           "version": "text",
                     *           "started_at": "2026-11-20T10:41:00.000Z",
                     *           "seen_at": "2026-11-20T10:41:00.000Z",
                     *           "slots": 0,
                     *           "running_job_ids": [
                     *             "text"
                     *           ],
                     *           "cpu": null,
                     *           "memory": null,
                     *           "storage": null,
                     *           "node_version": null,
                     *           "platform": null
                     *         }
                     *       ],
                     *       "service": {
                     *         "region": "text",
                     *         "version": "text",
                     *         "node_version": "text",
                     *         "timeout_unit": "text",
                     *         "default_profile": "text",
                     *         "scope_enforcement": false,
                     *         "max_body_bytes": 0,
                     *         "limits": {}
                     *       },
                     *       "profiles": [
                     *         {
                     *           "name": "text",
                     *           "agent": "codex",
                     *           "model": null,
                     *           "is_default": false,
                     *           "source": "built_in"
                     *         }
                     *       ],
                     *       "models": [
                     *         "text"
                     *       ],
                     *       "projects": {
                     *         "items": [
                     *           {
                     *             "id": "text",
                     *             "name": "text",
                     *             "job_counts": {
                     *               "DRAFT": 1,
                     *               "QUEUED": 3,
                     *               "RUNNING": 2,
                     *               "SUCCEEDED": 120,
                     *               "FAILED": 4,
                     *               "CANCELLED": 0
                     *             }
                     *           }
                     *         ],
                     *         "more": false
                     *       },
                     *       "jobs": {
                     *         "DRAFT": 1,
                     *         "QUEUED": 3,
                     *         "RUNNING": 2,
                     *         "SUCCEEDED": 120,
                     *         "FAILED": 4,
                     *         "CANCELLED": 0
                     *       },
                     *       "token_usage": {
                     *         "today": {
                     *           "input_tokens": 0,
                     *           "cached_input_tokens": 0,
                     *           "output_tokens": 0,
                     *           "reasoning_output_tokens": 0,
                     *           "cost_usd": 0
                     *         },
                     *         "last_30_days": {
                     *           "input_tokens": 0,
                     *           "cached_input_tokens": 0,
                     *           "output_tokens": 0,
                     *           "reasoning_output_tokens": 0,
                     *           "cost_usd": 0
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Environment"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    readStats: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The figures. */
            200: {
                headers: {
                    /** @description Id of this request in the log. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "time": "2026-11-20T10:41:00.000Z",
                     *       "statuses": {
                     *         "DRAFT": 1,
                     *         "QUEUED": 3,
                     *         "RUNNING": 2,
                     *         "SUCCEEDED": 120,
                     *         "FAILED": 4,
                     *         "CANCELLED": 0
                     *       },
                     *       "jobs": {
                     *         "total": 0,
                     *         "by_status": {
                     *           "DRAFT": 1,
                     *           "QUEUED": 3,
                     *           "RUNNING": 2,
                     *           "SUCCEEDED": 120,
                     *           "FAILED": 4,
                     *           "CANCELLED": 0
                     *         },
                     *         "last_30_days": {
                     *           "succeeded": 0,
                     *           "failed": 0,
                     *           "cancelled": 0,
                     *           "success_rate": null,
                     *           "queue_wait_ms": {
                     *             "count": 0,
                     *             "p50": null,
                     *             "p95": null
                     *           },
                     *           "duration_ms": {
                     *             "count": 0,
                     *             "p50": null,
                     *             "p95": null
                     *           }
                     *         },
                     *         "by_day": [
                     *           {
                     *             "day": "2026-11-20",
                     *             "succeeded": 0,
                     *             "failed": 0,
                     *             "cancelled": 0,
                     *             "success_rate": null,
                     *             "queue_wait_ms": {
                     *               "count": 0,
                     *               "p50": null,
                     *               "p95": null
                     *             },
                     *             "duration_ms": {
                     *               "count": 0,
                     *               "p50": null,
                     *               "p95": null
                     *             }
                     *           }
                     *         ]
                     *       },
                     *       "projects": {
                     *         "items": [
                     *           {
                     *             "id": "text",
                     *             "name": "text",
                     *             "job_counts": {
                     *               "DRAFT": 1,
                     *               "QUEUED": 3,
                     *               "RUNNING": 2,
                     *               "SUCCEEDED": 120,
                     *               "FAILED": 4,
                     *               "CANCELLED": 0
                     *             },
                     *             "tokens": {
                     *               "input_tokens": 0,
                     *               "cached_input_tokens": 0,
                     *               "output_tokens": 0,
                     *               "reasoning_output_tokens": 0,
                     *               "cost_usd": 0
                     *             },
                     *             "last_activity_at": "2026-11-20T10:41:00.000Z"
                     *           }
                     *         ],
                     *         "more": false
                     *       },
                     *       "tokens": {
                     *         "last_30_days": {
                     *           "input_tokens": 0,
                     *           "cached_input_tokens": 0,
                     *           "output_tokens": 0,
                     *           "reasoning_output_tokens": 0,
                     *           "cost_usd": 0
                     *         },
                     *         "by_day": [
                     *           {
                     *             "day": "2026-11-20",
                     *             "input_tokens": 0,
                     *             "cached_input_tokens": 0,
                     *             "output_tokens": 0,
                     *             "reasoning_output_tokens": 0,
                     *             "cost_usd": 0
                     *           }
                     *         ],
                     *         "by_model": [
                     *           {
                     *             "model": "text",
                     *             "input_tokens": 0,
                     *             "cached_input_tokens": 0,
                     *             "output_tokens": 0,
                     *             "reasoning_output_tokens": 0,
                     *             "cost_usd": 0
                     *           }
                     *         ],
                     *         "by_project": [
                     *           {
                     *             "project_id": "text",
                     *             "project": "text",
                     *             "input_tokens": 0,
                     *             "cached_input_tokens": 0,
                     *             "output_tokens": 0,
                     *             "reasoning_output_tokens": 0,
                     *             "cost_usd": 0
                     *           }
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Stats"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    listJobs: {
        parameters: {
            query?: {
                /** @description How many jobs at the most. */
                limit?: number;
                /** @description How many matching jobs to leave out first. */
                offset?: number;
                /** @description Only jobs in this state. */
                status?: "DRAFT" | "QUEUED" | "RUNNING" | "SUCCEEDED" | "FAILED" | "CANCELLED";
                /** @description Only jobs that contain all of these words, in any case and order, in their title, tags, prompt texts, project or cwd; words of 6 characters or more also in their id. Text in double quotes is one word. Of the prompt texts the first 8000 characters are searched. */
                search?: string;
                /** @description Only jobs with this working folder, as given or as resolved. */
                cwd?: string;
                /** @description Only jobs of the project with this id or name. */
                project?: string;
                /** @description Only jobs of this profile. */
                profile?: string;
                /** @description Only jobs that this agent ran, or is to run. */
                agent?: "codex" | "claude" | "shell";
                /** @description Only jobs that ask for this model, or whose newest attempt used it. */
                model?: string;
                /** @description Only jobs of this creator, as `created_by` shows it. */
                created_by?: string;
                /** @description Only jobs with this tag. */
                tag?: string;
                /** @description Only jobs that were created at this time or later. */
                created_after?: string;
                /** @description Only jobs that were created before this time. */
                created_before?: string;
                /** @description Which jobs come first. Default `newest`. */
                order?: "newest" | "oldest";
                /** @description `next_cursor` of the page before, with the same filters. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of jobs. */
            200: {
                headers: {
                    /** @description Id of this request in the log. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "job_4k2q0v9m6s8x1c3b5n7h2j4d6f",
                     *           "status": "SUCCEEDED",
                     *           "state_reason": {
                     *             "code": "exited",
                     *             "message": "The process ended.",
                     *             "retryable": false
                     *           },
                     *           "project_id": "local_project",
                     *           "project": "local_project",
                     *           "title": null,
                     *           "tags": [],
                     *           "agent": "codex",
                     *           "model_used": null,
                     *           "timeout_effective_seconds": 600,
                     *           "copied_from": null,
                     *           "created_by": "token:ci",
                     *           "profile": "codex",
                     *           "model": null,
                     *           "priority": 0,
                     *           "cwd": null,
                     *           "prompt_preview": "Say hello.",
                     *           "attempt": 1,
                     *           "exit_code": 0,
                     *           "signal": null,
                     *           "parent_id": null,
                     *           "created_at": "2026-11-20T10:41:00.000Z",
                     *           "queued_at": "2026-11-20T10:41:00.000Z",
                     *           "started_at": "2026-11-20T10:41:01.250Z",
                     *           "finished_at": "2026-11-20T10:41:09.500Z",
                     *           "cancel_requested_at": null
                     *         }
                     *       ],
                     *       "total": 1,
                     *       "total_complete": true,
                     *       "offset": 0,
                     *       "limit": 50,
                     *       "status_counts": {
                     *         "DRAFT": 1,
                     *         "QUEUED": 3,
                     *         "RUNNING": 2,
                     *         "SUCCEEDED": 120,
                     *         "FAILED": 4,
                     *         "CANCELLED": 0
                     *       },
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["JobList"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    createJobs: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "prompt": "Say hello.",
                 *       "priority": 0,
                 *       "title": "Greeting"
                 *     }
                 */
                "application/json": components["schemas"]["JobCreation"];
            };
        };
        responses: {
            /** @description The job is stored. */
            201: {
                headers: {
                    /** @description Id of this request in the log. */
                    "x-request-id"?: string;
                    /** @description Path of the job in this API: `/api/v1/jobs/{id}`. */
                    Location?: string;
                    /** @description `true` when the idempotency key was known and the id is that of the job that was there. */
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "job_4k2q0v9m6s8x1c3b5n7h2j4d6f",
                     *       "url": "https://queue.example.com/jobs/job_4k2q0v9m6s8x1c3b5n7h2j4d6f"
                     *     }
                     */
                    "application/json": components["schemas"]["JobCreated"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    readJobs: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of a job. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The job with all its fields. */
            200: {
                headers: {
                    /** @description Id of this request in the log. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "job_4k2q0v9m6s8x1c3b5n7h2j4d6f",
                     *       "status": "SUCCEEDED",
                     *       "state_reason": {
                     *         "code": "exited",
                     *         "message": "The process ended.",
                     *         "retryable": false
                     *       },
                     *       "attempt": 1,
                     *       "queued_at": "2026-11-20T10:41:00.000Z",
                     *       "started_at": "2026-11-20T10:41:01.250Z",
                     *       "finished_at": "2026-11-20T10:41:09.500Z",
                     *       "updated_at": "2026-11-20T10:41:09.500Z",
                     *       "title": null,
                     *       "tags": [],
                     *       "agent": "codex",
                     *       "model_used": null,
                     *       "timeout_effective_seconds": 600,
                     *       "copied_from": null,
                     *       "prompt": "Say hello.",
                     *       "base_prompt": "Say hello.",
                     *       "extra_prompt": null,
                     *       "rule_ids": [],
                     *       "profile": "codex",
                     *       "model": null,
                     *       "priority": 0,
                     *       "timeout": 600,
                     *       "timeout_unit": "seconds",
                     *       "retries": 0,
                     *       "cwd": null,
                     *       "project_id": "local_project",
                     *       "project": "local_project",
                     *       "idempotency_key": null,
                     *       "save_draft": false,
                     *       "draft": false,
                     *       "created_at": "2026-11-20T10:41:00.000Z",
                     *       "cancel_requested_at": null,
                     *       "created_by": "token:ci",
                     *       "parent_id": null,
                     *       "follow_up_ids": [],
                     *       "worker_id": "worker_7d1c2b",
                     *       "exit_code": 0,
                     *       "signal": null,
                     *       "error": null,
                     *       "usage": {
                     *         "input_tokens": 1200,
                     *         "cached_input_tokens": 900,
                     *         "output_tokens": 14,
                     *         "reasoning_output_tokens": 0
                     *       },
                     *       "session_id": "0199a213-81c0-7800-8aa1-bbab2a035a53",
                     *       "stdout_bytes": 7,
                     *       "stderr_bytes": 0,
                     *       "version": 5,
                     *       "warnings": [],
                     *       "deployments": [],
                     *       "changes": {
                     *         "branch": null,
                     *         "base": "text",
                     *         "head": "text",
                     *         "stat": "text",
                     *         "files": 0,
                     *         "insertions": 0,
                     *         "deletions": 0,
                     *         "truncated": false
                     *       },
                     *       "queue": null,
                     *       "attempts": [
                     *         {
                     *           "attempt": 1,
                     *           "status": "SUCCEEDED",
                     *           "state_reason": {
                     *             "code": "exited",
                     *             "message": "The process ended.",
                     *             "retryable": false
                     *           },
                     *           "started_at": "2026-11-20T10:41:01.250Z",
                     *           "finished_at": "2026-11-20T10:41:09.500Z",
                     *           "exit_code": 0,
                     *           "signal": null
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Job"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["JobNotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    replaceJobs: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of a job. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "title": "Greeting",
                 *       "prompt": "Say hello.",
                 *       "priority": 0
                 *     }
                 */
                "application/json": components["schemas"]["JobReplacement"];
            };
        };
        responses: {
            /** @description The job as it now is. */
            200: {
                headers: {
                    /** @description Id of this request in the log. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "job_4k2q0v9m6s8x1c3b5n7h2j4d6f",
                     *       "status": "SUCCEEDED",
                     *       "state_reason": {
                     *         "code": "exited",
                     *         "message": "The process ended.",
                     *         "retryable": false
                     *       },
                     *       "attempt": 1,
                     *       "queued_at": "2026-11-20T10:41:00.000Z",
                     *       "started_at": "2026-11-20T10:41:01.250Z",
                     *       "finished_at": "2026-11-20T10:41:09.500Z",
                     *       "updated_at": "2026-11-20T10:41:09.500Z",
                     *       "title": null,
                     *       "tags": [],
                     *       "agent": "codex",
                     *       "model_used": null,
                     *       "timeout_effective_seconds": 600,
                     *       "copied_from": null,
                     *       "prompt": "Say hello.",
                     *       "base_prompt": "Say hello.",
                     *       "extra_prompt": null,
                     *       "rule_ids": [],
                     *       "profile": "codex",
                     *       "model": null,
                     *       "priority": 0,
                     *       "timeout": 600,
                     *       "timeout_unit": "seconds",
                     *       "retries": 0,
                     *       "cwd": null,
                     *       "project_id": "local_project",
                     *       "project": "local_project",
                     *       "idempotency_key": null,
                     *       "save_draft": false,
                     *       "draft": false,
                     *       "created_at": "2026-11-20T10:41:00.000Z",
                     *       "cancel_requested_at": null,
                     *       "created_by": "token:ci",
                     *       "parent_id": null,
                     *       "follow_up_ids": [],
                     *       "worker_id": "worker_7d1c2b",
                     *       "exit_code": 0,
                     *       "signal": null,
                     *       "error": null,
                     *       "usage": {
                     *         "input_tokens": 1200,
                     *         "cached_input_tokens": 900,
                     *         "output_tokens": 14,
                     *         "reasoning_output_tokens": 0
                     *       },
                     *       "session_id": "0199a213-81c0-7800-8aa1-bbab2a035a53",
                     *       "stdout_bytes": 7,
                     *       "stderr_bytes": 0,
                     *       "version": 5,
                     *       "warnings": [],
                     *       "deployments": [],
                     *       "changes": {
                     *         "branch": null,
                     *         "base": "text",
                     *         "head": "text",
                     *         "stat": "text",
                     *         "files": 0,
                     *         "insertions": 0,
                     *         "deletions": 0,
                     *         "truncated": false
                     *       },
                     *       "queue": null,
                     *       "attempts": [
                     *         {
                     *           "attempt": 1,
                     *           "status": "SUCCEEDED",
                     *           "state_reason": {
                     *             "code": "exited",
                     *             "message": "The process ended.",
                     *             "retryable": false
                     *           },
                     *           "started_at": "2026-11-20T10:41:01.250Z",
                     *           "finished_at": "2026-11-20T10:41:09.500Z",
                     *           "exit_code": 0,
                     *           "signal": null
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Job"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidState"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["JobNotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    deleteJobs: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of a job. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The job as it now is. */
            200: {
                headers: {
                    /** @description Id of this request in the log. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "job_4k2q0v9m6s8x1c3b5n7h2j4d6f",
                     *       "status": "SUCCEEDED",
                     *       "state_reason": {
                     *         "code": "exited",
                     *         "message": "The process ended.",
                     *         "retryable": false
                     *       },
                     *       "attempt": 1,
                     *       "queued_at": "2026-11-20T10:41:00.000Z",
                     *       "started_at": "2026-11-20T10:41:01.250Z",
                     *       "finished_at": "2026-11-20T10:41:09.500Z",
                     *       "updated_at": "2026-11-20T10:41:09.500Z",
                     *       "title": null,
                     *       "tags": [],
                     *       "agent": "codex",
                     *       "model_used": null,
                     *       "timeout_effective_seconds": 600,
                     *       "copied_from": null,
                     *       "prompt": "Say hello.",
                     *       "base_prompt": "Say hello.",
                     *       "extra_prompt": null,
                     *       "rule_ids": [],
                     *       "profile": "codex",
                     *       "model": null,
                     *       "priority": 0,
                     *       "timeout": 600,
                     *       "timeout_unit": "seconds",
                     *       "retries": 0,
                     *       "cwd": null,
                     *       "project_id": "local_project",
                     *       "project": "local_project",
                     *       "idempotency_key": null,
                     *       "save_draft": false,
                     *       "draft": false,
                     *       "created_at": "2026-11-20T10:41:00.000Z",
                     *       "cancel_requested_at": null,
                     *       "created_by": "token:ci",
                     *       "parent_id": null,
                     *       "follow_up_ids": [],
                     *       "worker_id": "worker_7d1c2b",
                     *       "exit_code": 0,
                     *       "signal": null,
                     *       "error": null,
                     *       "usage": {
                     *         "input_tokens": 1200,
                     *         "cached_input_tokens": 900,
                     *         "output_tokens": 14,
                     *         "reasoning_output_tokens": 0
                     *       },
                     *       "session_id": "0199a213-81c0-7800-8aa1-bbab2a035a53",
                     *       "stdout_bytes": 7,
                     *       "stderr_bytes": 0,
                     *       "version": 5,
                     *       "warnings": [],
                     *       "deployments": [],
                     *       "changes": {
                     *         "branch": null,
                     *         "base": "text",
                     *         "head": "text",
                     *         "stat": "text",
                     *         "files": 0,
                     *         "insertions": 0,
                     *         "deletions": 0,
                     *         "truncated": false
                     *       },
                     *       "queue": null,
                     *       "attempts": [
                     *         {
                     *           "attempt": 1,
                     *           "status": "SUCCEEDED",
                     *           "state_reason": {
                     *             "code": "exited",
                     *             "message": "The process ended.",
                     *             "retryable": false
                     *           },
                     *           "started_at": "2026-11-20T10:41:01.250Z",
                     *           "finished_at": "2026-11-20T10:41:09.500Z",
                     *           "exit_code": 0,
                     *           "signal": null
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Job"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidState"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["JobNotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    editJobs: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of a job. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "prompt": "Say hello.",
                 *       "priority": 0,
                 *       "title": "Greeting"
                 *     }
                 */
                "application/json": components["schemas"]["JobEdit"];
            };
        };
        responses: {
            /** @description The job as it now is. */
            200: {
                headers: {
                    /** @description Id of this request in the log. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "job_4k2q0v9m6s8x1c3b5n7h2j4d6f",
                     *       "status": "SUCCEEDED",
                     *       "state_reason": {
                     *         "code": "exited",
                     *         "message": "The process ended.",
                     *         "retryable": false
                     *       },
                     *       "attempt": 1,
                     *       "queued_at": "2026-11-20T10:41:00.000Z",
                     *       "started_at": "2026-11-20T10:41:01.250Z",
                     *       "finished_at": "2026-11-20T10:41:09.500Z",
                     *       "updated_at": "2026-11-20T10:41:09.500Z",
                     *       "title": null,
                     *       "tags": [],
                     *       "agent": "codex",
                     *       "model_used": null,
                     *       "timeout_effective_seconds": 600,
                     *       "copied_from": null,
                     *       "prompt": "Say hello.",
                     *       "base_prompt": "Say hello.",
                     *       "extra_prompt": null,
                     *       "rule_ids": [],
                     *       "profile": "codex",
                     *       "model": null,
                     *       "priority": 0,
                     *       "timeout": 600,
                     *       "timeout_unit": "seconds",
                     *       "retries": 0,
                     *       "cwd": null,
                     *       "project_id": "local_project",
                     *       "project": "local_project",
                     *       "idempotency_key": null,
                     *       "save_draft": false,
                     *       "draft": false,
                     *       "created_at": "2026-11-20T10:41:00.000Z",
                     *       "cancel_requested_at": null,
                     *       "created_by": "token:ci",
                     *       "parent_id": null,
                     *       "follow_up_ids": [],
                     *       "worker_id": "worker_7d1c2b",
                     *       "exit_code": 0,
                     *       "signal": null,
                     *       "error": null,
                     *       "usage": {
                     *         "input_tokens": 1200,
                     *         "cached_input_tokens": 900,
                     *         "output_tokens": 14,
                     *         "reasoning_output_tokens": 0
                     *       },
                     *       "session_id": "0199a213-81c0-7800-8aa1-bbab2a035a53",
                     *       "stdout_bytes": 7,
                     *       "stderr_bytes": 0,
                     *       "version": 5,
                     *       "warnings": [],
                     *       "deployments": [],
                     *       "changes": {
                     *         "branch": null,
                     *         "base": "text",
                     *         "head": "text",
                     *         "stat": "text",
                     *         "files": 0,
                     *         "insertions": 0,
                     *         "deletions": 0,
                     *         "truncated": false
                     *       },
                     *       "queue": null,
                     *       "attempts": [
                     *         {
                     *           "attempt": 1,
                     *           "status": "SUCCEEDED",
                     *           "state_reason": {
                     *             "code": "exited",
                     *             "message": "The process ended.",
                     *             "retryable": false
                     *           },
                     *           "started_at": "2026-11-20T10:41:01.250Z",
                     *           "finished_at": "2026-11-20T10:41:09.500Z",
                     *           "exit_code": 0,
                     *           "signal": null
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Job"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidState"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["JobNotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    statusJobs: {
        parameters: {
            query?: {
                /** @description Seconds to hold the answer until the state changes. */
                wait?: number;
            };
            header?: never;
            path: {
                /** @description Id of a job. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The status. */
            200: {
                headers: {
                    /** @description Id of this request in the log. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "job_4k2q0v9m6s8x1c3b5n7h2j4d6f",
                     *       "status": "SUCCEEDED",
                     *       "state_reason": {
                     *         "code": "exited",
                     *         "message": "The process ended.",
                     *         "retryable": false
                     *       },
                     *       "attempt": 1,
                     *       "queued_at": "2026-11-20T10:41:00.000Z",
                     *       "started_at": "2026-11-20T10:41:01.250Z",
                     *       "finished_at": "2026-11-20T10:41:09.500Z",
                     *       "updated_at": "2026-11-20T10:41:09.500Z",
                     *       "terminal": true
                     *     }
                     */
                    "application/json": components["schemas"]["JobLifecycle"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["JobNotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    editDraftJobs: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of a job. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "prompt": "Say hello.",
                 *       "priority": 0,
                 *       "title": "Greeting"
                 *     }
                 */
                "application/json": components["schemas"]["DraftEdit"];
            };
        };
        responses: {
            /** @description The job as it now is. */
            200: {
                headers: {
                    /** @description Id of this request in the log. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "job_4k2q0v9m6s8x1c3b5n7h2j4d6f",
                     *       "status": "SUCCEEDED",
                     *       "state_reason": {
                     *         "code": "exited",
                     *         "message": "The process ended.",
                     *         "retryable": false
                     *       },
                     *       "attempt": 1,
                     *       "queued_at": "2026-11-20T10:41:00.000Z",
                     *       "started_at": "2026-11-20T10:41:01.250Z",
                     *       "finished_at": "2026-11-20T10:41:09.500Z",
                     *       "updated_at": "2026-11-20T10:41:09.500Z",
                     *       "title": null,
                     *       "tags": [],
                     *       "agent": "codex",
                     *       "model_used": null,
                     *       "timeout_effective_seconds": 600,
                     *       "copied_from": null,
                     *       "prompt": "Say hello.",
                     *       "base_prompt": "Say hello.",
                     *       "extra_prompt": null,
                     *       "rule_ids": [],
                     *       "profile": "codex",
                     *       "model": null,
                     *       "priority": 0,
                     *       "timeout": 600,
                     *       "timeout_unit": "seconds",
                     *       "retries": 0,
                     *       "cwd": null,
                     *       "project_id": "local_project",
                     *       "project": "local_project",
                     *       "idempotency_key": null,
                     *       "save_draft": false,
                     *       "draft": false,
                     *       "created_at": "2026-11-20T10:41:00.000Z",
                     *       "cancel_requested_at": null,
                     *       "created_by": "token:ci",
                     *       "parent_id": null,
                     *       "follow_up_ids": [],
                     *       "worker_id": "worker_7d1c2b",
                     *       "exit_code": 0,
                     *       "signal": null,
                     *       "error": null,
                     *       "usage": {
                     *         "input_tokens": 1200,
                     *         "cached_input_tokens": 900,
                     *         "output_tokens": 14,
                     *         "reasoning_output_tokens": 0
                     *       },
                     *       "session_id": "0199a213-81c0-7800-8aa1-bbab2a035a53",
                     *       "stdout_bytes": 7,
                     *       "stderr_bytes": 0,
                     *       "version": 5,
                     *       "warnings": [],
                     *       "deployments": [],
                     *       "changes": {
                     *         "branch": null,
                     *         "base": "text",
                     *         "head": "text",
                     *         "stat": "text",
                     *         "files": 0,
                     *         "insertions": 0,
                     *         "deletions": 0,
                     *         "truncated": false
                     *       },
                     *       "queue": null,
                     *       "attempts": [
                     *         {
                     *           "attempt": 1,
                     *           "status": "SUCCEEDED",
                     *           "state_reason": {
                     *             "code": "exited",
                     *             "message": "The process ended.",
                     *             "retryable": false
                     *           },
                     *           "started_at": "2026-11-20T10:41:01.250Z",
                     *           "finished_at": "2026-11-20T10:41:09.500Z",
                     *           "exit_code": 0,
                     *           "signal": null
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Job"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidState"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["JobNotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    submitJobs: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of a job. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /** @example {} */
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description The job as it now is. */
            200: {
                headers: {
                    /** @description Id of this request in the log. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "job_4k2q0v9m6s8x1c3b5n7h2j4d6f",
                     *       "status": "SUCCEEDED",
                     *       "state_reason": {
                     *         "code": "exited",
                     *         "message": "The process ended.",
                     *         "retryable": false
                     *       },
                     *       "attempt": 1,
                     *       "queued_at": "2026-11-20T10:41:00.000Z",
                     *       "started_at": "2026-11-20T10:41:01.250Z",
                     *       "finished_at": "2026-11-20T10:41:09.500Z",
                     *       "updated_at": "2026-11-20T10:41:09.500Z",
                     *       "title": null,
                     *       "tags": [],
                     *       "agent": "codex",
                     *       "model_used": null,
                     *       "timeout_effective_seconds": 600,
                     *       "copied_from": null,
                     *       "prompt": "Say hello.",
                     *       "base_prompt": "Say hello.",
                     *       "extra_prompt": null,
                     *       "rule_ids": [],
                     *       "profile": "codex",
                     *       "model": null,
                     *       "priority": 0,
                     *       "timeout": 600,
                     *       "timeout_unit": "seconds",
                     *       "retries": 0,
                     *       "cwd": null,
                     *       "project_id": "local_project",
                     *       "project": "local_project",
                     *       "idempotency_key": null,
                     *       "save_draft": false,
                     *       "draft": false,
                     *       "created_at": "2026-11-20T10:41:00.000Z",
                     *       "cancel_requested_at": null,
                     *       "created_by": "token:ci",
                     *       "parent_id": null,
                     *       "follow_up_ids": [],
                     *       "worker_id": "worker_7d1c2b",
                     *       "exit_code": 0,
                     *       "signal": null,
                     *       "error": null,
                     *       "usage": {
                     *         "input_tokens": 1200,
                     *         "cached_input_tokens": 900,
                     *         "output_tokens": 14,
                     *         "reasoning_output_tokens": 0
                     *       },
                     *       "session_id": "0199a213-81c0-7800-8aa1-bbab2a035a53",
                     *       "stdout_bytes": 7,
                     *       "stderr_bytes": 0,
                     *       "version": 5,
                     *       "warnings": [],
                     *       "deployments": [],
                     *       "changes": {
                     *         "branch": null,
                     *         "base": "text",
                     *         "head": "text",
                     *         "stat": "text",
                     *         "files": 0,
                     *         "insertions": 0,
                     *         "deletions": 0,
                     *         "truncated": false
                     *       },
                     *       "queue": null,
                     *       "attempts": [
                     *         {
                     *           "attempt": 1,
                     *           "status": "SUCCEEDED",
                     *           "state_reason": {
                     *             "code": "exited",
                     *             "message": "The process ended.",
                     *             "retryable": false
                     *           },
                     *           "started_at": "2026-11-20T10:41:01.250Z",
                     *           "finished_at": "2026-11-20T10:41:09.500Z",
                     *           "exit_code": 0,
                     *           "signal": null
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Job"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidState"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["JobNotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    cancelJobs: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of a job. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /** @example {} */
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description The job as it now is. */
            200: {
                headers: {
                    /** @description Id of this request in the log. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "job_4k2q0v9m6s8x1c3b5n7h2j4d6f",
                     *       "status": "SUCCEEDED",
                     *       "state_reason": {
                     *         "code": "exited",
                     *         "message": "The process ended.",
                     *         "retryable": false
                     *       },
                     *       "attempt": 1,
                     *       "queued_at": "2026-11-20T10:41:00.000Z",
                     *       "started_at": "2026-11-20T10:41:01.250Z",
                     *       "finished_at": "2026-11-20T10:41:09.500Z",
                     *       "updated_at": "2026-11-20T10:41:09.500Z",
                     *       "title": null,
                     *       "tags": [],
                     *       "agent": "codex",
                     *       "model_used": null,
                     *       "timeout_effective_seconds": 600,
                     *       "copied_from": null,
                     *       "prompt": "Say hello.",
                     *       "base_prompt": "Say hello.",
                     *       "extra_prompt": null,
                     *       "rule_ids": [],
                     *       "profile": "codex",
                     *       "model": null,
                     *       "priority": 0,
                     *       "timeout": 600,
                     *       "timeout_unit": "seconds",
                     *       "retries": 0,
                     *       "cwd": null,
                     *       "project_id": "local_project",
                     *       "project": "local_project",
                     *       "idempotency_key": null,
                     *       "save_draft": false,
                     *       "draft": false,
                     *       "created_at": "2026-11-20T10:41:00.000Z",
                     *       "cancel_requested_at": null,
                     *       "created_by": "token:ci",
                     *       "parent_id": null,
                     *       "follow_up_ids": [],
                     *       "worker_id": "worker_7d1c2b",
                     *       "exit_code": 0,
                     *       "signal": null,
                     *       "error": null,
                     *       "usage": {
                     *         "input_tokens": 1200,
                     *         "cached_input_tokens": 900,
                     *         "output_tokens": 14,
                     *         "reasoning_output_tokens": 0
                     *       },
                     *       "session_id": "0199a213-81c0-7800-8aa1-bbab2a035a53",
                     *       "stdout_bytes": 7,
                     *       "stderr_bytes": 0,
                     *       "version": 5,
                     *       "warnings": [],
                     *       "deployments": [],
                     *       "changes": {
                     *         "branch": null,
                     *         "base": "text",
                     *         "head": "text",
                     *         "stat": "text",
                     *         "files": 0,
                     *         "insertions": 0,
                     *         "deletions": 0,
                     *         "truncated": false
                     *       },
                     *       "queue": null,
                     *       "attempts": [
                     *         {
                     *           "attempt": 1,
                     *           "status": "SUCCEEDED",
                     *           "state_reason": {
                     *             "code": "exited",
                     *             "message": "The process ended.",
                     *             "retryable": false
                     *           },
                     *           "started_at": "2026-11-20T10:41:01.250Z",
                     *           "finished_at": "2026-11-20T10:41:09.500Z",
                     *           "exit_code": 0,
                     *           "signal": null
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Job"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidState"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["JobNotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    killJobs: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of a job. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /** @example {} */
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description The job as it now is. */
            200: {
                headers: {
                    /** @description Id of this request in the log. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "job_4k2q0v9m6s8x1c3b5n7h2j4d6f",
                     *       "status": "SUCCEEDED",
                     *       "state_reason": {
                     *         "code": "exited",
                     *         "message": "The process ended.",
                     *         "retryable": false
                     *       },
                     *       "attempt": 1,
                     *       "queued_at": "2026-11-20T10:41:00.000Z",
                     *       "started_at": "2026-11-20T10:41:01.250Z",
                     *       "finished_at": "2026-11-20T10:41:09.500Z",
                     *       "updated_at": "2026-11-20T10:41:09.500Z",
                     *       "title": null,
                     *       "tags": [],
                     *       "agent": "codex",
                     *       "model_used": null,
                     *       "timeout_effective_seconds": 600,
                     *       "copied_from": null,
                     *       "prompt": "Say hello.",
                     *       "base_prompt": "Say hello.",
                     *       "extra_prompt": null,
                     *       "rule_ids": [],
                     *       "profile": "codex",
                     *       "model": null,
                     *       "priority": 0,
                     *       "timeout": 600,
                     *       "timeout_unit": "seconds",
                     *       "retries": 0,
                     *       "cwd": null,
                     *       "project_id": "local_project",
                     *       "project": "local_project",
                     *       "idempotency_key": null,
                     *       "save_draft": false,
                     *       "draft": false,
                     *       "created_at": "2026-11-20T10:41:00.000Z",
                     *       "cancel_requested_at": null,
                     *       "created_by": "token:ci",
                     *       "parent_id": null,
                     *       "follow_up_ids": [],
                     *       "worker_id": "worker_7d1c2b",
                     *       "exit_code": 0,
                     *       "signal": null,
                     *       "error": null,
                     *       "usage": {
                     *         "input_tokens": 1200,
                     *         "cached_input_tokens": 900,
                     *         "output_tokens": 14,
                     *         "reasoning_output_tokens": 0
                     *       },
                     *       "session_id": "0199a213-81c0-7800-8aa1-bbab2a035a53",
                     *       "stdout_bytes": 7,
                     *       "stderr_bytes": 0,
                     *       "version": 5,
                     *       "warnings": [],
                     *       "deployments": [],
                     *       "changes": {
                     *         "branch": null,
                     *         "base": "text",
                     *         "head": "text",
                     *         "stat": "text",
                     *         "files": 0,
                     *         "insertions": 0,
                     *         "deletions": 0,
                     *         "truncated": false
                     *       },
                     *       "queue": null,
                     *       "attempts": [
                     *         {
                     *           "attempt": 1,
                     *           "status": "SUCCEEDED",
                     *           "state_reason": {
                     *             "code": "exited",
                     *             "message": "The process ended.",
                     *             "retryable": false
                     *           },
                     *           "started_at": "2026-11-20T10:41:01.250Z",
                     *           "finished_at": "2026-11-20T10:41:09.500Z",
                     *           "exit_code": 0,
                     *           "signal": null
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Job"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidState"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["JobNotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    retryJobs: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of a job. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /** @example {} */
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description The job as it now is. */
            200: {
                headers: {
                    /** @description Id of this request in the log. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "job_4k2q0v9m6s8x1c3b5n7h2j4d6f",
                     *       "status": "SUCCEEDED",
                     *       "state_reason": {
                     *         "code": "exited",
                     *         "message": "The process ended.",
                     *         "retryable": false
                     *       },
                     *       "attempt": 1,
                     *       "queued_at": "2026-11-20T10:41:00.000Z",
                     *       "started_at": "2026-11-20T10:41:01.250Z",
                     *       "finished_at": "2026-11-20T10:41:09.500Z",
                     *       "updated_at": "2026-11-20T10:41:09.500Z",
                     *       "title": null,
                     *       "tags": [],
                     *       "agent": "codex",
                     *       "model_used": null,
                     *       "timeout_effective_seconds": 600,
                     *       "copied_from": null,
                     *       "prompt": "Say hello.",
                     *       "base_prompt": "Say hello.",
                     *       "extra_prompt": null,
                     *       "rule_ids": [],
                     *       "profile": "codex",
                     *       "model": null,
                     *       "priority": 0,
                     *       "timeout": 600,
                     *       "timeout_unit": "seconds",
                     *       "retries": 0,
                     *       "cwd": null,
                     *       "project_id": "local_project",
                     *       "project": "local_project",
                     *       "idempotency_key": null,
                     *       "save_draft": false,
                     *       "draft": false,
                     *       "created_at": "2026-11-20T10:41:00.000Z",
                     *       "cancel_requested_at": null,
                     *       "created_by": "token:ci",
                     *       "parent_id": null,
                     *       "follow_up_ids": [],
                     *       "worker_id": "worker_7d1c2b",
                     *       "exit_code": 0,
                     *       "signal": null,
                     *       "error": null,
                     *       "usage": {
                     *         "input_tokens": 1200,
                     *         "cached_input_tokens": 900,
                     *         "output_tokens": 14,
                     *         "reasoning_output_tokens": 0
                     *       },
                     *       "session_id": "0199a213-81c0-7800-8aa1-bbab2a035a53",
                     *       "stdout_bytes": 7,
                     *       "stderr_bytes": 0,
                     *       "version": 5,
                     *       "warnings": [],
                     *       "deployments": [],
                     *       "changes": {
                     *         "branch": null,
                     *         "base": "text",
                     *         "head": "text",
                     *         "stat": "text",
                     *         "files": 0,
                     *         "insertions": 0,
                     *         "deletions": 0,
                     *         "truncated": false
                     *       },
                     *       "queue": null,
                     *       "attempts": [
                     *         {
                     *           "attempt": 1,
                     *           "status": "SUCCEEDED",
                     *           "state_reason": {
                     *             "code": "exited",
                     *             "message": "The process ended.",
                     *             "retryable": false
                     *           },
                     *           "started_at": "2026-11-20T10:41:01.250Z",
                     *           "finished_at": "2026-11-20T10:41:09.500Z",
                     *           "exit_code": 0,
                     *           "signal": null
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Job"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidState"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["JobNotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    rereadLogsJobs: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of a job. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /** @example {} */
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description The job as it now is, and what was done. */
            200: {
                headers: {
                    /** @description Id of this request in the log. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "job_4k2q0v9m6s8x1c3b5n7h2j4d6f",
                     *       "status": "SUCCEEDED",
                     *       "state_reason": {
                     *         "code": "exited",
                     *         "message": "The process ended.",
                     *         "retryable": false
                     *       },
                     *       "attempt": 1,
                     *       "queued_at": "2026-11-20T10:41:00.000Z",
                     *       "started_at": "2026-11-20T10:41:01.250Z",
                     *       "finished_at": "2026-11-20T10:41:09.500Z",
                     *       "updated_at": "2026-11-20T10:41:09.500Z",
                     *       "title": null,
                     *       "tags": [],
                     *       "agent": "codex",
                     *       "model_used": null,
                     *       "timeout_effective_seconds": 600,
                     *       "copied_from": null,
                     *       "prompt": "Say hello.",
                     *       "base_prompt": "Say hello.",
                     *       "extra_prompt": null,
                     *       "rule_ids": [],
                     *       "profile": "codex",
                     *       "model": null,
                     *       "priority": 0,
                     *       "timeout": 600,
                     *       "timeout_unit": "seconds",
                     *       "retries": 0,
                     *       "cwd": null,
                     *       "project_id": "local_project",
                     *       "project": "local_project",
                     *       "idempotency_key": null,
                     *       "save_draft": false,
                     *       "draft": false,
                     *       "created_at": "2026-11-20T10:41:00.000Z",
                     *       "cancel_requested_at": null,
                     *       "created_by": "token:ci",
                     *       "parent_id": null,
                     *       "follow_up_ids": [],
                     *       "worker_id": "worker_7d1c2b",
                     *       "exit_code": 0,
                     *       "signal": null,
                     *       "error": null,
                     *       "usage": {
                     *         "input_tokens": 1200,
                     *         "cached_input_tokens": 900,
                     *         "output_tokens": 14,
                     *         "reasoning_output_tokens": 0
                     *       },
                     *       "session_id": "0199a213-81c0-7800-8aa1-bbab2a035a53",
                     *       "stdout_bytes": 7,
                     *       "stderr_bytes": 0,
                     *       "version": 5,
                     *       "warnings": [],
                     *       "deployments": [],
                     *       "changes": {
                     *         "branch": null,
                     *         "base": "text",
                     *         "head": "text",
                     *         "stat": "text",
                     *         "files": 0,
                     *         "insertions": 0,
                     *         "deletions": 0,
                     *         "truncated": false
                     *       },
                     *       "queue": null,
                     *       "attempts": [
                     *         {
                     *           "attempt": 1,
                     *           "status": "SUCCEEDED",
                     *           "state_reason": {
                     *             "code": "exited",
                     *             "message": "The process ended.",
                     *             "retryable": false
                     *           },
                     *           "started_at": "2026-11-20T10:41:01.250Z",
                     *           "finished_at": "2026-11-20T10:41:09.500Z",
                     *           "exit_code": 0,
                     *           "signal": null
                     *         }
                     *       ],
                     *       "refreshed": [],
                     *       "recovered_follow_up_ids": []
                     *     }
                     */
                    "application/json": components["schemas"]["RereadJob"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["JobNotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    refuseActionJobs: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of a job. */
                id: string;
                /** @description A name that is no action. */
                action: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            400: components["responses"]["InvalidActionOrInvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["JobNotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    resultJobs: {
        parameters: {
            query?: {
                /** @description Bring all that is kept instead of the last 10485760 bytes of each stream. */
                full?: "1";
                /** @description The attempt to read. Default: the newest. */
                attempt?: number;
            };
            header?: never;
            path: {
                /** @description Id of a job. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result. */
            200: {
                headers: {
                    /** @description Id of this request in the log. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "job_4k2q0v9m6s8x1c3b5n7h2j4d6f",
                     *       "status": "SUCCEEDED",
                     *       "state_reason": {
                     *         "code": "exited",
                     *         "message": "The process ended.",
                     *         "retryable": false
                     *       },
                     *       "attempt": 1,
                     *       "agent": "codex",
                     *       "model_used": null,
                     *       "started_at": "2026-11-20T10:41:01.250Z",
                     *       "finished_at": "2026-11-20T10:41:09.500Z",
                     *       "duration_ms": 8250,
                     *       "final_message": "Hello.",
                     *       "composed_prompt": "Say hello.",
                     *       "attachments": [],
                     *       "changes": {
                     *         "branch": null,
                     *         "base": "text",
                     *         "head": "text",
                     *         "stat": "text",
                     *         "files": 0,
                     *         "insertions": 0,
                     *         "deletions": 0,
                     *         "truncated": false
                     *       },
                     *       "follow_up_ids": [],
                     *       "exit_code": 0,
                     *       "signal": null,
                     *       "error": null,
                     *       "usage": {
                     *         "input_tokens": 1200,
                     *         "cached_input_tokens": 900,
                     *         "output_tokens": 14,
                     *         "reasoning_output_tokens": 0
                     *       },
                     *       "session_id": "0199a213-81c0-7800-8aa1-bbab2a035a53",
                     *       "stdout_bytes": 7,
                     *       "stderr_bytes": 0,
                     *       "stdout": "Hello.\n",
                     *       "stderr": "",
                     *       "stdout_truncated": false,
                     *       "stderr_truncated": false
                     *     }
                     */
                    "application/json": components["schemas"]["JobResult"];
                };
            };
            /** @description The answer would be larger than 100000000 bytes: it is at `Location`, for 60 seconds. Follow without credentials. */
            303: {
                headers: {
                    /** @description Id of this request in the log. */
                    "x-request-id"?: string;
                    /** @description Where the same JSON is. */
                    Location?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["JobNotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    logsJobs: {
        parameters: {
            query?: {
                /** @description Which stream. Default `all`. */
                stream?: "stdout" | "stderr" | "all";
                /** @description Bring all that is kept instead of 1048576 bytes of each stream. */
                full?: "1";
                /** @description An earlier attempt; default: the newest. With `follow` also the next one, which is waited for. */
                attempt?: number;
                /** @description Byte of the persisted stream to begin at; needs one `stream`. Go on with `next_offset`. */
                offset?: number;
                /** @description Bring the output as server-sent events while it is written; needs `Accept: text/event-stream`. `full` changes nothing then. */
                follow?: "1";
            };
            header?: {
                /** @description With `follow`: the `id` of the last event that was received, of the same `stream`; the stream goes on behind it, whatever `offset` says. */
                "last-event-id"?: string;
            };
            path: {
                /** @description Id of a job. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The output. */
            200: {
                headers: {
                    /** @description Id of this request in the log. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "job_4k2q0v9m6s8x1c3b5n7h2j4d6f",
                     *       "status": "SUCCEEDED",
                     *       "attempt": 1,
                     *       "stream": "all",
                     *       "stdout": "Hello.\n",
                     *       "stderr": "",
                     *       "stdout_bytes": 7,
                     *       "stderr_bytes": 0,
                     *       "stdout_truncated": false,
                     *       "stderr_truncated": false,
                     *       "next_offset": null
                     *     }
                     */
                    "application/json": components["schemas"]["JobLogs"];
                    /**
                     * @example id: 6
                     *     data: {"attempt":1,"stream":"stdout","text":"hello\n","offset":0,"next_offset":6}
                     *
                     *     event: end
                     *     data: {"attempt":1,"status":"SUCCEEDED","state_reason":{"code":"exited","message":"The process ended.","retryable":false}}
                     */
                    "text/event-stream": string;
                };
            };
            /** @description The answer would be larger than 100000000 bytes: it is at `Location`, for 60 seconds. Follow without credentials. */
            303: {
                headers: {
                    /** @description Id of this request in the log. */
                    "x-request-id"?: string;
                    /** @description Where the same JSON is. */
                    Location?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["JobNotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    listDeployBindings: {
        parameters: {
            query?: {
                /** @description Only bindings of the project with this id or name. */
                project?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The bindings, by project and name. */
            200: {
                headers: {
                    /** @description Id of this request in the log. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "text",
                     *           "project_id": "text",
                     *           "project": "text",
                     *           "name": "text",
                     *           "binding_mode": "generic",
                     *           "ready": false,
                     *           "missing": [
                     *             "text"
                     *           ],
                     *           "disabled_reason": null,
                     *           "target_url": null,
                     *           "command": null,
                     *           "open_url": null,
                     *           "framework": null,
                     *           "install_command": null,
                     *           "build_command": null,
                     *           "deploy_command": null,
                     *           "timeout_seconds": null,
                     *           "commands": [
                     *             "text"
                     *           ],
                     *           "created_at": "2026-11-20T10:41:00.000Z",
                     *           "updated_at": "2026-11-20T10:41:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["DeployBindingList"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    writeDeployBindings: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "binding_mode": "generic",
                 *       "target_url": "https://ci.example.com/hook",
                 *       "open_url": "https://editor.example.com/?folder={cwd}"
                 *     }
                 */
                "application/json": components["schemas"]["DeployBindingWrite"];
            };
        };
        responses: {
            /** @description The binding was updated. */
            200: {
                headers: {
                    /** @description Id of this request in the log. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "text",
                     *       "project_id": "text",
                     *       "project": "text",
                     *       "name": "text",
                     *       "binding_mode": "generic",
                     *       "ready": false,
                     *       "missing": [
                     *         "text"
                     *       ],
                     *       "disabled_reason": null,
                     *       "target_url": null,
                     *       "command": null,
                     *       "open_url": null,
                     *       "framework": null,
                     *       "install_command": null,
                     *       "build_command": null,
                     *       "deploy_command": null,
                     *       "timeout_seconds": null,
                     *       "commands": [
                     *         "text"
                     *       ],
                     *       "created_at": "2026-11-20T10:41:00.000Z",
                     *       "updated_at": "2026-11-20T10:41:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["DeployBinding"];
                };
            };
            /** @description The binding was created. */
            201: {
                headers: {
                    /** @description Id of this request in the log. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "text",
                     *       "project_id": "text",
                     *       "project": "text",
                     *       "name": "text",
                     *       "binding_mode": "generic",
                     *       "ready": false,
                     *       "missing": [
                     *         "text"
                     *       ],
                     *       "disabled_reason": null,
                     *       "target_url": null,
                     *       "command": null,
                     *       "open_url": null,
                     *       "framework": null,
                     *       "install_command": null,
                     *       "build_command": null,
                     *       "deploy_command": null,
                     *       "timeout_seconds": null,
                     *       "commands": [
                     *         "text"
                     *       ],
                     *       "created_at": "2026-11-20T10:41:00.000Z",
                     *       "updated_at": "2026-11-20T10:41:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["DeployBinding"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    deleteDeployBindings: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of a deploy binding. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The binding as it was. */
            200: {
                headers: {
                    /** @description Id of this request in the log. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "text",
                     *       "project_id": "text",
                     *       "project": "text",
                     *       "name": "text",
                     *       "binding_mode": "generic",
                     *       "ready": false,
                     *       "missing": [
                     *         "text"
                     *       ],
                     *       "disabled_reason": null,
                     *       "target_url": null,
                     *       "command": null,
                     *       "open_url": null,
                     *       "framework": null,
                     *       "install_command": null,
                     *       "build_command": null,
                     *       "deploy_command": null,
                     *       "timeout_seconds": null,
                     *       "commands": [
                     *         "text"
                     *       ],
                     *       "created_at": "2026-11-20T10:41:00.000Z",
                     *       "updated_at": "2026-11-20T10:41:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["DeployBinding"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    retryDeployments: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of a job. */
                id: string;
                /** @description Id of a deploy binding. */
                binding: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /** @example {} */
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description What now is to be done. */
            200: {
                headers: {
                    /** @description Id of this request in the log. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "binding": "text",
                     *       "name": "text",
                     *       "mode": "generic",
                     *       "attempt": 0,
                     *       "state": "pending",
                     *       "attempts": 0,
                     *       "started_at": "2026-11-20T10:41:00.000Z",
                     *       "finished_at": "2026-11-20T10:41:00.000Z",
                     *       "next_attempt_at": "2026-11-20T10:41:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["JobDeployment"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidState"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["JobNotFoundOrNotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    readCodexAccount: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The account; never a credential. */
            200: {
                headers: {
                    /** @description Id of this request in the log. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "vendor": "codex",
                     *       "state": "not_linked",
                     *       "logged_in": false,
                     *       "expires_at": "2026-11-20T10:41:00.000Z",
                     *       "updated_at": "2026-11-20T10:41:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Account"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    logoutCodexAccount: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The account as it now is. */
            200: {
                headers: {
                    /** @description Id of this request in the log. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "vendor": "codex",
                     *       "state": "not_linked",
                     *       "logged_in": false,
                     *       "expires_at": "2026-11-20T10:41:00.000Z",
                     *       "updated_at": "2026-11-20T10:41:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Account"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    startCodexAccount: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /** @example {} */
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description A login is under way. */
            202: {
                headers: {
                    /** @description Id of this request in the log. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "vendor": "codex",
                     *       "state": "not_linked",
                     *       "logged_in": false,
                     *       "expires_at": "2026-11-20T10:41:00.000Z",
                     *       "updated_at": "2026-11-20T10:41:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Account"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    cancelCodexAccount: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /** @example {} */
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description The account as it now is. */
            200: {
                headers: {
                    /** @description Id of this request in the log. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "vendor": "codex",
                     *       "state": "not_linked",
                     *       "logged_in": false,
                     *       "expires_at": "2026-11-20T10:41:00.000Z",
                     *       "updated_at": "2026-11-20T10:41:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Account"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidState"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    listProjects: {
        parameters: {
            query?: {
                /** @description Most items of the answer. */
                limit?: number;
                /** @description `next_cursor` of the page before: goes on there. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of projects, in the order of their ids. */
            200: {
                headers: {
                    /** @description Id of this request in the log. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "text",
                     *           "name": "text",
                     *           "workspace": "text",
                     *           "created_at": "2026-11-20T10:41:00.000Z",
                     *           "last_activity_at": "2026-11-20T10:41:00.000Z",
                     *           "job_counts": {
                     *             "DRAFT": 1,
                     *             "QUEUED": 3,
                     *             "RUNNING": 2,
                     *             "SUCCEEDED": 120,
                     *             "FAILED": 4,
                     *             "CANCELLED": 0
                     *           },
                     *           "repository": null,
                     *           "ref": null,
                     *           "setup": null,
                     *           "secret": null,
                     *           "exclusive_cwd": false
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["ProjectList"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    listRules: {
        parameters: {
            query?: {
                /** @description Most items of the answer. */
                limit?: number;
                /** @description `next_cursor` of the page before: goes on there. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of rules, in the order of their ids. */
            200: {
                headers: {
                    /** @description Id of this request in the log. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "text",
                     *           "name": "text",
                     *           "text": "text",
                     *           "source": "built_in",
                     *           "updated_at": "2026-11-20T10:41:00.000Z"
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["RuleList"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    listProfiles: {
        parameters: {
            query?: {
                /** @description Most items of the answer. */
                limit?: number;
                /** @description `next_cursor` of the page before: goes on there. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of profiles, in the order of their names; what is built in comes first. */
            200: {
                headers: {
                    /** @description Id of this request in the log. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "name": "text",
                     *           "agent": "codex",
                     *           "model": null,
                     *           "args": [
                     *             "text"
                     *           ],
                     *           "env": {},
                     *           "sandbox": "workspace-write",
                     *           "timeout": null,
                     *           "timeout_unit": "text",
                     *           "retries": 0,
                     *           "concurrency": null,
                     *           "vendor": "own",
                     *           "is_default": false,
                     *           "source": "built_in",
                     *           "updated_at": "2026-11-20T10:41:00.000Z"
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["ProfileList"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    deleteRules: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of a rule. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The rule as it was. */
            200: {
                headers: {
                    /** @description Id of this request in the log. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "text",
                     *       "name": "text",
                     *       "text": "text",
                     *       "source": "built_in",
                     *       "updated_at": "2026-11-20T10:41:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Rule"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    deleteProfiles: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of a profile. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The profile as it was. */
            200: {
                headers: {
                    /** @description Id of this request in the log. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "name": "text",
                     *       "agent": "codex",
                     *       "model": null,
                     *       "args": [
                     *         "text"
                     *       ],
                     *       "env": {},
                     *       "sandbox": "workspace-write",
                     *       "timeout": null,
                     *       "timeout_unit": "text",
                     *       "retries": 0,
                     *       "concurrency": null,
                     *       "vendor": "own",
                     *       "is_default": false,
                     *       "source": "built_in",
                     *       "updated_at": "2026-11-20T10:41:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Profile"];
                };
            };
            400: components["responses"]["InvalidStateOrInvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    importConfig: {
        parameters: {
            query?: {
                /** @description Only says what the import would change. */
                dry_run?: "1";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /** @example {} */
                "application/json": components["schemas"]["ConfigDocument"];
            };
        };
        responses: {
            /** @description What was changed, or would be. */
            200: {
                headers: {
                    /** @description Id of this request in the log. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "dry_run": false,
                     *       "rules": {
                     *         "created": [
                     *           "text"
                     *         ],
                     *         "updated": [
                     *           "text"
                     *         ],
                     *         "unchanged": [
                     *           "text"
                     *         ]
                     *       },
                     *       "profiles": {
                     *         "created": [
                     *           "text"
                     *         ],
                     *         "updated": [
                     *           "text"
                     *         ],
                     *         "unchanged": [
                     *           "text"
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ImportResult"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    exportConfig: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The document. */
            200: {
                headers: {
                    /** @description Id of this request in the log. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /** @example {} */
                    "application/json": components["schemas"]["ConfigDocumentOutput"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    listAttachments: {
        parameters: {
            query?: {
                /** @description An earlier attempt; default: the newest. */
                attempt?: number;
            };
            header?: never;
            path: {
                /** @description Id of a job. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The files of one attempt. */
            200: {
                headers: {
                    /** @description Id of this request in the log. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "text",
                     *       "attempt": 0,
                     *       "items": [
                     *         {
                     *           "name": "report%2Fsummary.md",
                     *           "path": "report/summary.md",
                     *           "bytes": 0,
                     *           "sha256": "text",
                     *           "content_type": "text",
                     *           "attempt": 0
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["AttachmentList"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["JobNotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    readAttachments: {
        parameters: {
            query?: {
                /** @description An earlier attempt; default: the newest. */
                attempt?: number;
            };
            header?: never;
            path: {
                /** @description Id of a job. */
                id: string;
                /** @description The `name` from the list, percent-encoded. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file. */
            200: {
                headers: {
                    /** @description Id of this request in the log. */
                    "x-request-id"?: string;
                    /** @description The name to store it under. */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /** @example text */
                    "application/octet-stream": string;
                };
            };
            /** @description The file is larger than 100000000 bytes: it is at `Location`, for 60 seconds. Follow without credentials. */
            303: {
                headers: {
                    /** @description Id of this request in the log. */
                    "x-request-id"?: string;
                    /** @description Where the file is. */
                    Location?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["JobNotFoundOrNotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    deleteProjects: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id or name of a project. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The project as it was. */
            200: {
                headers: {
                    /** @description Id of this request in the log. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "text",
                     *       "name": "text",
                     *       "created_at": "2026-11-20T10:41:00.000Z",
                     *       "workspace": "text",
                     *       "repository": null,
                     *       "ref": null,
                     *       "setup": null,
                     *       "secret": null,
                     *       "exclusive_cwd": false
                     *     }
                     */
                    "application/json": components["schemas"]["ProjectSettings"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidState"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    editProjects: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id or name of a project. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "repository": "https://git.example.com/team/app.git"
                 *     }
                 */
                "application/json": components["schemas"]["ProjectEdit"];
            };
        };
        responses: {
            /** @description The project as it now is. */
            200: {
                headers: {
                    /** @description Id of this request in the log. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "text",
                     *       "name": "text",
                     *       "created_at": "2026-11-20T10:41:00.000Z",
                     *       "workspace": "text",
                     *       "repository": null,
                     *       "ref": null,
                     *       "setup": null,
                     *       "secret": null,
                     *       "exclusive_cwd": false
                     *     }
                     */
                    "application/json": components["schemas"]["ProjectSettings"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    readOpenapi: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OpenAPI 3.0.3. */
            200: {
                headers: {
                    /** @description Id of this request in the log. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "openapi": "3.0.3"
                     *     }
                     */
                    "application/json": components["schemas"]["OpenApiDocument"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    listAuditLogs: {
        parameters: {
            query?: {
                /** @description How many rows at the most. */
                limit?: number;
                /** @description `next_cursor` of the page before, with the same filters. */
                cursor?: string;
                /** @description Only what this principal did, such as `token:ci` or `user:ada@example.com`. */
                actor?: string;
                /** @description Only this action, such as `jobs.cancel`. */
                action?: string;
                /** @description Only from then on. */
                since?: string;
                /** @description Only before then. */
                until?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of what was done. */
            200: {
                headers: {
                    /** @description Id of this request in the log. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "text",
                     *           "at": "2026-11-20T10:41:00.000Z",
                     *           "actor": "token:ci",
                     *           "action": "jobs.cancel",
                     *           "target": {
                     *             "id": "job_4k2q0v9m6s8x1c3b5n7h2j4d6f"
                     *           },
                     *           "source_ip": "203.0.113.9",
                     *           "status": 200,
                     *           "request_id": "text"
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["AuditLog"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    readSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Who calls. */
            200: {
                headers: {
                    /** @description Id of this request in the log. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "kind": "token",
                     *       "name": "user:ada@example.com",
                     *       "email": null,
                     *       "role": null,
                     *       "scopes": null,
                     *       "scopes_enforced": false,
                     *       "scopes_note": "Scopes are not enforced here: this token may do everything.",
                     *       "expires_at": "2026-11-20T10:41:00.000Z",
                     *       "session_id": null
                     *     }
                     */
                    "application/json": components["schemas"]["Caller"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    listSessions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The sessions. */
            200: {
                headers: {
                    /** @description Id of this request in the log. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "text",
                     *           "name": "user:ada@example.com",
                     *           "email": null,
                     *           "role": "viewer",
                     *           "browser": "Firefox on Linux",
                     *           "address": "203.0.113.7",
                     *           "created_at": "2026-11-20T10:41:00.000Z",
                     *           "last_used_at": "2026-11-20T10:41:00.000Z",
                     *           "expires_at": "2026-11-20T10:41:00.000Z",
                     *           "current": false
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["SessionList"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    endSessions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of a session. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The session is over. */
            204: {
                headers: {
                    /** @description Id of this request in the log. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    listTokens: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The tokens. */
            200: {
                headers: {
                    /** @description Id of this request in the log. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "text",
                     *           "name": "text",
                     *           "scopes": [
                     *             "read"
                     *           ],
                     *           "scopes_enforced": false,
                     *           "scopes_note": "Scopes are not enforced here: this token may do everything.",
                     *           "state": "active",
                     *           "created_at": "2026-11-20T10:41:00.000Z",
                     *           "expires_at": "2026-11-20T10:41:00.000Z",
                     *           "last_used_at": "2026-11-20T10:41:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["TokenList"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    createTokens: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "nightly build",
                 *       "expires_at": "2027-01-01T00:00:00Z"
                 *     }
                 */
                "application/json": components["schemas"]["TokenCreation"];
            };
        };
        responses: {
            /** @description The token, shown this once. */
            201: {
                headers: {
                    /** @description Id of this request in the log. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "text",
                     *       "name": "text",
                     *       "scopes": [
                     *         "read"
                     *       ],
                     *       "scopes_enforced": false,
                     *       "scopes_note": "Scopes are not enforced here: this token may do everything.",
                     *       "state": "active",
                     *       "created_at": "2026-11-20T10:41:00.000Z",
                     *       "expires_at": "2026-11-20T10:41:00.000Z",
                     *       "last_used_at": "2026-11-20T10:41:00.000Z",
                     *       "token": "text"
                     *     }
                     */
                    "application/json": components["schemas"]["CreatedToken"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    suspendTokens: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of a token. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /** @example {} */
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description The token as it now is. */
            200: {
                headers: {
                    /** @description Id of this request in the log. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "text",
                     *       "name": "text",
                     *       "scopes": [
                     *         "read"
                     *       ],
                     *       "scopes_enforced": false,
                     *       "scopes_note": "Scopes are not enforced here: this token may do everything.",
                     *       "state": "active",
                     *       "created_at": "2026-11-20T10:41:00.000Z",
                     *       "expires_at": "2026-11-20T10:41:00.000Z",
                     *       "last_used_at": "2026-11-20T10:41:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Token"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidState"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    resumeTokens: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of a token. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /** @example {} */
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description The token as it now is. */
            200: {
                headers: {
                    /** @description Id of this request in the log. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "text",
                     *       "name": "text",
                     *       "scopes": [
                     *         "read"
                     *       ],
                     *       "scopes_enforced": false,
                     *       "scopes_note": "Scopes are not enforced here: this token may do everything.",
                     *       "state": "active",
                     *       "created_at": "2026-11-20T10:41:00.000Z",
                     *       "expires_at": "2026-11-20T10:41:00.000Z",
                     *       "last_used_at": "2026-11-20T10:41:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Token"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidState"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
    revokeTokens: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of a token. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /** @example {} */
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description The token as it now is. */
            200: {
                headers: {
                    /** @description Id of this request in the log. */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "text",
                     *       "name": "text",
                     *       "scopes": [
                     *         "read"
                     *       ],
                     *       "scopes_enforced": false,
                     *       "scopes_note": "Scopes are not enforced here: this token may do everything.",
                     *       "state": "active",
                     *       "created_at": "2026-11-20T10:41:00.000Z",
                     *       "expires_at": "2026-11-20T10:41:00.000Z",
                     *       "last_used_at": "2026-11-20T10:41:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Token"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidState"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["FunctionFailed"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["TimedOut"];
        };
    };
}
