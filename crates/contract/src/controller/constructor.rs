use std::marker::PhantomData;

use async_trait::async_trait;
use kubewright_core::flow::BoxError;
use kubewright_runtime::inject::{Construct, FromOperator};
use kubewright_runtime::operator::{Declarations, OperatorContext};

use super::ComponentController;

/// A function that constructs a component controller: it takes up to 12 injected arguments, and returns the controller or a `Result` of it. The
/// compiler infers `M`.
///
/// It is another trait than that of the constructors of reconcilers, since only the crate of a trait can define which types it constructs.
#[diagnostic::on_unimplemented(
    message = "this function does not construct a component controller",
    note = "a constructor takes up to 12 arguments that implement `FromOperator`, and returns the controller or a `Result` of it"
)]
pub trait ControllerConstructor<C, M>: Send + Sync + 'static {
    /// Returns the constructor with the types of its arguments erased.
    fn boxed(self) -> Box<dyn Construct<C>>;
}

/// The result of a constructor.
#[diagnostic::on_unimplemented(
    message = "a constructor of a component controller cannot return `{Self}`",
    note = "it returns a type that implements `ComponentController`, or a `Result` of one"
)]
pub trait ConstructedController<C, M> {
    /// Returns the controller.
    fn constructed(self) -> Result<C, BoxError>;
}

/// Marks a constructor that returns the controller.
#[derive(Debug)]
pub struct PlainController;
/// Marks a constructor that returns a `Result`.
#[derive(Debug)]
pub struct FallibleController;

impl<C: ComponentController> ConstructedController<C, PlainController> for C {
    fn constructed(self) -> Result<C, BoxError> {
        Ok(self)
    }
}

impl<C: ComponentController, E: Into<BoxError>> ConstructedController<C, FallibleController> for Result<C, E> {
    fn constructed(self) -> Result<C, BoxError> {
        self.map_err(Into::into)
    }
}

/// A function with the types of its arguments.
struct WithArguments<F, M> {
    function: F,
    arguments: PhantomData<fn() -> M>,
}

macro_rules! constructors {
    ($($argument:ident)*) => {
        impl<C, F, O, M, $($argument,)*> ControllerConstructor<C, (M, O, $($argument,)*)> for F
        where
            C: ComponentController,
            F: FnOnce($($argument,)*) -> O + Send + Sync + 'static,
            O: ConstructedController<C, M> + 'static,
            M: 'static,
            $($argument: FromOperator,)*
        {
            fn boxed(self) -> Box<dyn Construct<C>> {
                Box::new(WithArguments::<F, (M, O, $($argument,)*)> { function: self, arguments: PhantomData })
            }
        }

        #[async_trait]
        impl<C, F, O, M, $($argument,)*> Construct<C> for WithArguments<F, (M, O, $($argument,)*)>
        where
            C: ComponentController,
            F: FnOnce($($argument,)*) -> O + Send + Sync + 'static,
            O: ConstructedController<C, M> + 'static,
            M: 'static,
            $($argument: FromOperator,)*
        {
            #[allow(unused_variables)]
            fn declare(&self, declarations: &mut Declarations) {
                $($argument::declare(declarations);)*
            }

            #[allow(unused_variables)]
            async fn construct(self: Box<Self>, context: &OperatorContext) -> Result<C, BoxError> {
                (self.function)($($argument::extract(context)?,)*).constructed()
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
