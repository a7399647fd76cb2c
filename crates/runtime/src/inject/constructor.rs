use std::future::Future;
use std::marker::PhantomData;

use async_trait::async_trait;
use kubewright_core::flow::BoxError;

use super::FromOperator;
use crate::operator::{Declarations, OperatorContext};

/// A function that makes a reconciler or a background task from its dependencies. It is sync or async, has up to 12 arguments, and returns the value or a
/// `Result` of it. The compiler infers `M`.
#[diagnostic::on_unimplemented(
    message = "this function does not construct `{R}`, a reconciler or a background task",
    note = "a constructor takes up to 12 arguments that implement `FromOperator`, and returns the reconciler or task, a `Result` of it, or a future of one of these",
    note = "a type is a reconciler by `#[reconciler(kind = …)]` on its impl block, and a background task by `impl BackgroundTask for …` or `impl LeaderTask for …`"
)]
pub trait Constructor<R, M>: Send + Sync + Sized + 'static {
    /// Erases the types of the constructor's arguments.
    fn boxed(self) -> Box<dyn Construct<R>>;
}

/// A constructor whose argument types are erased.
#[async_trait]
pub trait Construct<R>: Send + Sync {
    /// Declares the requirements of the arguments.
    fn declare(&self, declarations: &mut Declarations);

    /// Makes the value.
    async fn construct(self: Box<Self>, context: &OperatorContext) -> Result<R, BoxError>;
}

/// The products of constructors: reconcilers and background tasks. Each module of a product implements it for its own trait, with a `Role` of its own so that
/// the implementations do not overlap; the compiler infers the role.
pub trait Constructible<Role>: Send + 'static {}

/// The result of a constructor.
#[diagnostic::on_unimplemented(
    message = "a constructor of `{R}` cannot return `{Self}`",
    label = "not the constructed type",
    note = "a constructor returns the reconciler or background task, a `Result` of it, or a future of one of these"
)]
#[async_trait]
pub trait Constructed<R, M>: Send {
    /// Returns the reconciler or task.
    async fn constructed(self) -> Result<R, BoxError>;
}

/// Marks a constructor that returns the value.
#[derive(Debug)]
pub struct Plain;
/// Marks a constructor that returns a `Result`.
#[derive(Debug)]
pub struct Fallible;
/// Marks a constructor that returns a future of the value.
#[derive(Debug)]
pub struct Later;
/// Marks a constructor that returns a future of a `Result`.
#[derive(Debug)]
pub struct FallibleLater;

#[async_trait]
impl<K: 'static, R: Constructible<K>> Constructed<R, (K, Plain)> for R {
    async fn constructed(self) -> Result<R, BoxError> {
        Ok(self)
    }
}

#[async_trait]
impl<K: 'static, R: Constructible<K>, E: Into<BoxError> + Send> Constructed<R, (K, Fallible)> for Result<R, E> {
    async fn constructed(self) -> Result<R, BoxError> {
        self.map_err(Into::into)
    }
}

#[async_trait]
impl<K: 'static, R: Constructible<K>, F: Future<Output = R> + Send> Constructed<R, (K, Later)> for F {
    async fn constructed(self) -> Result<R, BoxError> {
        Ok(self.await)
    }
}

#[async_trait]
impl<K: 'static, R: Constructible<K>, E: Into<BoxError> + Send, F: Future<Output = Result<R, E>> + Send>
    Constructed<R, (K, FallibleLater)> for F
{
    async fn constructed(self) -> Result<R, BoxError> {
        self.await.map_err(Into::into)
    }
}

/// A function together with the types of its arguments.
struct TypedFunction<F, M> {
    function: F,
    arguments: PhantomData<fn() -> M>,
}

macro_rules! constructors {
    ($($argument:ident)*) => {
        impl<R, F, O, M, $($argument,)*> Constructor<R, (M, O, $($argument,)*)> for F
        where
            R: Send + 'static,
            F: FnOnce($($argument,)*) -> O + Send + Sync + 'static,
            O: Constructed<R, M> + 'static,
            M: 'static,
            $($argument: FromOperator,)*
        {
            fn boxed(self) -> Box<dyn Construct<R>> {
                Box::new(TypedFunction::<F, (M, O, $($argument,)*)> { function: self, arguments: PhantomData })
            }
        }

        #[async_trait]
        impl<R, F, O, M, $($argument,)*> Construct<R> for TypedFunction<F, (M, O, $($argument,)*)>
        where
            R: Send + 'static,
            F: FnOnce($($argument,)*) -> O + Send + Sync + 'static,
            O: Constructed<R, M> + 'static,
            M: 'static,
            $($argument: FromOperator,)*
        {
            #[allow(unused_variables)]
            fn declare(&self, declarations: &mut Declarations) {
                $($argument::declare(declarations);)*
            }

            #[allow(unused_variables)]
            async fn construct(self: Box<Self>, context: &OperatorContext) -> Result<R, BoxError> {
                let constructed = (self.function)($($argument::extract(context)?,)*);
                constructed.constructed().await
            }
        }
    };
}

constructors!();
constructors!(A1);
constructors!(A1 A2);
constructors!(A1 A2 A3);
constructors!(A1 A2 A3 A4);
constructors!(A1 A2 A3 A4 A5);
constructors!(A1 A2 A3 A4 A5 A6);
constructors!(A1 A2 A3 A4 A5 A6 A7);
constructors!(A1 A2 A3 A4 A5 A6 A7 A8);
constructors!(A1 A2 A3 A4 A5 A6 A7 A8 A9);
constructors!(A1 A2 A3 A4 A5 A6 A7 A8 A9 A10);
constructors!(A1 A2 A3 A4 A5 A6 A7 A8 A9 A10 A11);
constructors!(A1 A2 A3 A4 A5 A6 A7 A8 A9 A10 A11 A12);
